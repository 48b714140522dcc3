using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>A daemon as a process, of either language. Disposing kills it (SIGKILL).</summary>
internal sealed class Daemon : IDisposable
{
    public const string CSharp = "C#", Cpp = "C++";

    private readonly Process _process;

    public Daemon(string language, string name, params string[] arguments)
    {
        string[] command = [.. CommandOf(language), "--name", name, .. arguments];
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true };
        start.Environment["DOTNET_TieredPGO"] = "0"; // starts sooner
        _process = Process.Start(start)!;
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        if (line.Wait(Eventually.Watchdog) && line.Result == "ready")
            return;
        Dispose();
        Assert.Fail(line.IsCompleted ? $"the {language} daemon says '{line.Result}' instead of 'ready'" : $"the {language} daemon does not start in {Eventually.Watchdog}");
    }

    public static TheoryData<string> Languages => [CSharp, Cpp];

    public int Id => _process.Id;

    /// <summary>SIGKILL; returns when the process is gone.</summary>
    public void Kill()
    {
        _process.Kill();
        Assert.True(_process.WaitForExit(Eventually.Watchdog), "a killed daemon does not end");
    }

    /// <summary>SIGTERM; the exit code.</summary>
    public int End()
    {
        Signal(15);
        Assert.True(_process.WaitForExit(Eventually.Watchdog), "the daemon does not end");
        return _process.ExitCode;
    }

    /// <summary>SIGSTOP; returns when no thread of it runs any more.</summary>
    public void Stop()
    {
        Signal(19);
        Eventually.True(() => Directory.GetDirectories($"/proc/{Id}/task").All(IsStopped), "every thread of the daemon has stopped or ended");
    }

    /// <summary>SIGCONT.</summary>
    public void Continue() => Signal(18);

    public void Dispose()
    {
        if (!_process.HasExited)
            Kill();
        _process.Dispose();
    }

    private static bool IsStopped(string thread)
    {
        try
        {
            string stat = File.ReadAllText(Path.Combine(thread, "stat"));
            return stat[stat.LastIndexOf(')') + 2] == 'T';
        }
        catch (IOException)
        {
            return true; // it ended between two looks
        }
    }

    private static string[] CommandOf(string language)
    {
        if (language == CSharp)
        {
            string host = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? Environment.ProcessPath! : "dotnet";
            return [host, Path.Combine(AppContext.BaseDirectory, "OfficeAddin.Daemon.dll")];
        }
        string build = Environment.GetEnvironmentVariable("IPC_NATIVE_BUILD") ?? Path.Combine(Root(), "build", "native");
        string program = Path.Combine(build, "samples", "OfficeAddin", "cpp", "officeaddin_daemon");
        Assert.True(File.Exists(program), $"{program} is not built: eng/build.sh builds it");
        return [program];
    }

    private static string Root([CallerFilePath] string path = "") => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(path)!, "..", ".."));

    private void Signal(int signal) => Assert.Equal(0, Kill(Id, signal));

    [DllImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static extern int Kill(int pid, int signal);
}
