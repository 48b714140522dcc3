using System.Text.RegularExpressions;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Samples.Tests;

/// <summary>The sample of OpenTelemetry: the trace of the client goes on in the server, which is another process, and both count the calls.</summary>
public class TelemetryTests
{
    [Fact]
    public void OneTraceCrossesTheProcessesAndBothCount()
    {
        using var regions = new RegionDirectory();
        using var serving = new OtherProcess(true, Repository.In(regions), [.. Repository.Managed("Telemetry", "Telemetry"), "server", "telemetry"]);
        serving.WaitUntilReady(null);
        using var asking = new OtherProcess(false, Repository.In(regions), [.. Repository.Managed("Telemetry", "Telemetry"), "client", "telemetry"]);
        string client = asking.Rest();
        Assert.True(asking.WaitForExit() == 0, client);
        Assert.Equal(0, serving.EndInput());
        string server = serving.Rest();

        string trace = Find(client, "^trace ([0-9a-f]{32})$");
        string root = Find(client, $"^span Internal ask for prices trace={trace} span=([0-9a-f]+) .*$");
        foreach (string method in new[] { "Get", "Watch" })
        {
            string call = Find(client, $"^span Client quotes.v1/{method} trace={trace} span=([0-9a-f]+) parent={root} status=0$");
            Find(server, $"^span Server quotes.v1/{method} trace={trace} span=([0-9a-f]+) parent={call} status=0$");
            Find(client, $@"^metric rpc\.client\.duration \[ms\] count=1 .*rpc\.method=({method})( .*)?$");
            Find(server, $@"^metric rpc\.server\.duration \[ms\] count=1 .*rpc\.method=({method})( .*)?$");
        }

        Find(server, @"^metric ipc\.rpc\.io \[By\] ([1-9][0-9]*) ");
    }

    private static string Find(string text, string pattern)
    {
        Match match = Regex.Match(text, pattern, RegexOptions.Multiline);
        Assert.True(match.Success, $"no line is {pattern}:\n{text}");
        return match.Groups[1].Value;
    }
}
