using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using Ipc.Docs.Tests;
using Xunit;

[assembly: AssemblyFixture(typeof(Site))]

namespace Ipc.Docs.Tests;

/// <summary>The documentation site, as eng/docs.sh builds it: once, for whoever asks first.</summary>
public sealed class Site
{
    private const int Unavailable = 77;

    private readonly Lazy<Task<(int Code, string Output)>> _built = new(BuildAsync);

    /// <summary>Skips the test where what builds the site is not to be had.</summary>
    public async Task BuiltAsync()
    {
        Assert.SkipUnless(Environment.GetEnvironmentVariable("IPC_TEST_FULL") == "1", "IPC_TEST_FULL=1 builds the site");
        (int code, string output) = await _built.Value;
        Assert.SkipWhen(code == Unavailable, "docfx or doxygen is neither here nor to be had");
        Assert.True(code == 0, output);
    }

    public static string PathOf(string file) => Repository.PathOf("artifacts/site/" + file);

    public static string Read(string file) => File.ReadAllText(PathOf(file));

    private static async Task<(int Code, string Output)> BuildAsync()
    {
        string configuration = AppContext.BaseDirectory.Contains("/Debug/", StringComparison.Ordinal) ? "Debug" : "Release";
        ProcessStartInfo start = new("bash", ["-c", "exec \"$@\" 2>&1", "bash", Repository.PathOf("eng/docs.sh"), configuration]) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)!;
        string output = await process.StandardOutput.ReadToEndAsync(); // it has a limit of its own
        await process.WaitForExitAsync();
        return (process.ExitCode, output);
    }
}
