using System.Linq;
using System.Text.RegularExpressions;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Samples.Tests;

/// <summary>
/// The README's code: each server with each client, in C# and in C++. A client prints one price for its call and five for its stream; the server ends when its
/// standard input does.
/// </summary>
public partial class QuickStartTests
{
    [Theory]
    [InlineData(Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.C)]
    [InlineData(Language.C, Language.CSharp)]
    [InlineData(Language.C, Language.C)]
    public void AnyClientIsServedByAnyServer(Language server, Language client)
    {
        using var regions = new RegionDirectory();
        using var serving = new OtherProcess(true, Repository.In(regions), Program(server, "Server"));
        serving.WaitUntilReady(null);
        using var asking = new OtherProcess(false, Repository.In(regions), Program(client, "Client"));
        string said = asking.Rest();
        Assert.Equal((0, 0), (asking.WaitForExit(), serving.EndInput()));
        Assert.Equal(6, said.TrimEnd('\n').Split('\n').Length);
        Assert.True(said.TrimEnd('\n').Split('\n').All(Price().IsMatch), said);
    }

    private static string[] Program(Language language, string role)
        => language == Language.CSharp ? Repository.Managed($"QuickStart/{role}", $"QuickStart.{role}") : Repository.Native($"QuickStart/cpp/quickstart_{role.ToLowerInvariant()}");

    [GeneratedRegex(@"^10[01]([.,][0-9]+)?$")]
    private static partial Regex Price();
}
