using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Xunit;

namespace Ipc.Matrix.Tests;

/// <summary>What bench/run.sh writes of its rows: verdicts, tables, the README's part of them.</summary>
public sealed class ResultTests
{
    private const double Steady = 0.1, Wild = 0.26;

    private static readonly Load s_idle = new(0.1);

    /// <summary>Whoever beats a limit that sagged has beaten nothing, and who missed one has missed nothing.</summary>
    [Theory]
    [InlineData(Steady, Steady, 2.0, true)]
    [InlineData(Steady, Steady, 4.0, false)]
    [InlineData(Steady, Wild, 2.0, null)]
    [InlineData(Steady, Wild, 4.0, null)]
    [InlineData(Wild, Steady, 2.0, null)]
    public void AVerdictNeedsALimitThatHolds(double spread, double limitSpread, double ratio, bool? reached)
    {
        Result result = Row("rpc.sync.64.spin.cs", 200 * ratio, spread) with { LimitValue = 200, Ratio = ratio, LimitSpread = limitSpread };
        Assert.Equal(reached, result.Reached);
        Assert.Equal(reached is null, result.IsUnstable);
    }

    /// <summary>A value that is judged by itself has to hold by itself.</summary>
    [Theory]
    [InlineData(Steady, true)]
    [InlineData(Wild, null)]
    public void AValueThatIsJudgedHasToHold(double valueSpread, bool? reached)
    {
        Result result = Row("topic.8.1-1.c", 100, Steady) with { LimitValue = 20, Ratio = 5, LimitSpread = Steady, ValueSpread = valueSpread };
        Assert.Equal(reached, result.Reached);
    }

    [Fact]
    public void ATableSaysWhichLimitsAndRivalsWereUnstable()
    {
        string[] table = ResultDocs.Performance("made up", s_idle, Made(Wild)).Split('\n');
        Assert.EndsWith("|  |  | unstable | 26 % |  |", Line("limit.pingpong64.2lines"), StringComparison.Ordinal);
        Assert.Contains(" | 200, unstable | ", Line("rpc.sync.64.spin.cs"), StringComparison.Ordinal);
        Assert.Contains(" | unstable | ", Line("rpc.sync.64.spin.cs"), StringComparison.Ordinal);
        Assert.EndsWith(" | `uds.spin.64` 8000, 20x, unstable |", Line("rpc.sync.64.spin.cs"), StringComparison.Ordinal);
        Assert.Contains("0 targets reached, 0 missed, 1 without a verdict (unstable)", table[^2], StringComparison.Ordinal);

        string Line(string name) => table.First(line => line.StartsWith($"| `{name}` ", StringComparison.Ordinal));
    }

    [Fact]
    public void ATableSaysNothingOfTheKindWhereAllHolds()
    {
        string table = ResultDocs.Performance("made up", s_idle, Made(Steady)), readme = ResultDocs.Readme(s_idle, Made(Steady));
        Assert.Contains("1 targets reached, 0 missed, 0 without a verdict (unstable)", table, StringComparison.Ordinal);
        Assert.Equal(1, table.Split("unstable").Length - 1); // the sentence above
        Assert.DoesNotContain("unstable", readme, StringComparison.Ordinal);
    }

    [Fact]
    public void TheReadmeSaysWhatWasUnstable()
    {
        string line = ResultDocs.Readme(s_idle, Made(Wild)).Split('\n').Single(static line => line.StartsWith("| C# call, 64 B, the client spins", StringComparison.Ordinal));
        Assert.EndsWith("| ns | 400 | 200 (ping-pong of two lines, unstable) | unstable | 8000 (Unix socket that polls, unstable) |", line, StringComparison.Ordinal);
        Result plain = Row("busy.1.rpc.sync.64.cs", 10, Steady) with { LimitValue = 20, Ratio = 0.5, LimitSpread = Wild };
        Assert.Contains("| us | 10.0 |  | unstable | 20.0 (Unix socket, unstable) |", ResultDocs.Readme(s_idle, Rivals.Beside([plain])), StringComparison.Ordinal);
    }

    /// <summary>A ring's echo and a call stand beside the limit of two lines, and are said to.</summary>
    [Theory]
    [InlineData("ring.echo.64.spin.c")]
    [InlineData("ring.echo.64.spin.cs")]
    [InlineData("rpc.sync.64.spin.cs")]
    [InlineData("rpc.sync.64.spin.cpp")]
    public void TheReadmeNamesTheLimitThatIsMeant(string name)
    {
        Assert.Equal("limit.pingpong64.2lines", Figures.Named(name).Limit);
        Assert.Contains(" 200 (ping-pong of two lines) ", ResultDocs.Readme(s_idle, [Row(name, 400, Steady) with { LimitValue = 200, Ratio = 2 }]), StringComparison.Ordinal);
    }

    [Fact]
    public void ATableShowsWhichRowsHaveOptionsOfTheirOwn()
    {
        string table = ResultDocs.Performance("made up", s_idle, [Row("rpc.stream.64.default.cs", 5, Steady), Row("rpc.stream.64.cs", 6, Steady)]);
        Assert.Contains("| `rpc.stream.64.default.cs` | ", table, StringComparison.Ordinal);
        Assert.Contains("| `rpc.stream.64.cs` \\* | ", table, StringComparison.Ordinal);
        Assert.Contains("\n* a ring of 4096 KiB to the client, a window of 8192 items: `rpc.stream.64.cs`\n", table, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ring.echo.64.spin.cs", "<= 1.15")]
    [InlineData("ring.echo.64.spin.c", "<= 1.0")]
    [InlineData("many.1000.echo", "<= 1.43")]
    [InlineData("tcp.echo.64.block", "<= 1.25")]
    [InlineData("rpc.work.100us.2clients.cs", "<= 0.67")]
    [InlineData("http2.ipc.64.many", ">= 1.3")]
    [InlineData("idle.10000.cpu", "<= 0.1 %")]
    [InlineData("connect.first", "<= 1000 us")]
    [InlineData("rpc.pipelined.64.cs", ">= 1.0 M/s")]
    public void ATargetIsPrintedAsItIs(string name, string printed) => Assert.Equal(printed, ResultText.Target(Figures.Named(name)));

    [Fact]
    public void NoTargetIsRoundedAway() => Assert.All(Figures.All.Where(static figure => figure.HasTarget), static figure =>
    {
        double goal = figure.Target ?? figure.Most ?? figure.Least!.Value;
        Assert.Equal(goal, double.Parse(ResultText.Target(figure).Split(' ')[1], CultureInfo.InvariantCulture));
    });

    /// <summary>What was measured beside others says so where it is read.</summary>
    [Fact]
    public void ABusyMachineIsInEveryHeading()
    {
        Load busy = new(0.8);
        string page = ResultDocs.Performance("made up", busy, Made(Steady)), readme = ResultDocs.Readme(busy, Made(Steady));
        Assert.StartsWith("made up\n**The machine was busy with something else when it began (0.8 processors): these figures are not to be published.**\n", page, StringComparison.Ordinal);
        Assert.StartsWith("**The machine was busy", readme, StringComparison.Ordinal);
        Assert.Contains("busy", busy.Warning, StringComparison.Ordinal);
        Assert.DoesNotContain("busy", s_idle.Warning + ResultDocs.Performance("made up", s_idle, Made(Steady)) + ResultDocs.Readme(s_idle, Made(Steady)), StringComparison.Ordinal);
    }

    /// <summary>A plain program's row is held against a socket under the same load: that is its limit, and its rival too.</summary>
    [Theory]
    [InlineData("busy.1.rpc.sync.64.cs", "busy.1.uds.64")]
    [InlineData("busy.2.rpc.sync.64.cpp.p99", "busy.2.uds.64.p99")]
    [InlineData("default.rpc.async.64.cs", "default.uds.64")]
    public void APlainRowNamesTheSocketAsItsRival(string name, string socket)
    {
        string path = Path.GetTempFileName();
        try
        {
            // The socket's own row was measured at another time: what counts is what it took between the rounds of this one.
            ResultJson.Write(path, Rivals.Beside([Row(socket, 25, Steady), Row(name, 10, Steady) with { LimitValue = 20, Ratio = 0.5, LimitSpread = Steady }]));
            JsonElement row = JsonDocument.Parse(File.ReadAllText(path)).RootElement.EnumerateArray().Single(row => row.GetProperty("name").GetString() == name);
            Assert.Equal(socket, row.GetProperty("rival").GetString());
            Assert.Equal(20, row.GetProperty("rival_value").GetDouble());
            Assert.Equal(20, row.GetProperty("limit").GetDouble());
            Assert.Equal(0.5, row.GetProperty("ratio").GetDouble());
            Assert.Equal("us", row.GetProperty("unit").GetString());
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>A quantile that would be the maximum, because there were too few round trips, is no figure.</summary>
    [Fact]
    public void OfTooFewRoundTripsAQuantileIsNotWritten()
    {
        const string Name = "amqp.unary.1m";
        string path = Path.GetTempFileName();
        try
        {
            Result[] few = [Row(Name, 10, Steady) with { Quantiles = [10, double.NaN, double.NaN, 12] }];
            ResultJson.Write(path, few);
            JsonElement row = JsonDocument.Parse(File.ReadAllText(path)).RootElement[0];
            Assert.Equal(10, row.GetProperty("p50").GetDouble());
            Assert.Equal(JsonValueKind.Null, row.GetProperty("p99").ValueKind);
            Assert.Equal(JsonValueKind.Null, row.GetProperty("p999").ValueKind);
            Assert.Equal(12, row.GetProperty("max").GetDouble());
            Assert.Contains($"| `{Name}` | us | 10.0 |  |  | 12.0 |\n", ResultDocs.Performance("made up", s_idle, few), StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void ThePageNamesEveryFieldOfARow()
    {
        string path = Path.GetTempFileName();
        try
        {
            ResultJson.Write(path, Made(Steady));
            string fields = string.Join(", ", JsonNode.Parse(File.ReadAllText(path))!.AsArray()[0]!.AsObject().Select(static field => field.Key));
            Assert.Contains($"`{{{fields}}}`", File.ReadAllText(Path.Combine(Repository(), "docs", "performance.md")), StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static string Repository([CallerFilePath] string here = "") => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(here)!, "../.."));

    /// <summary>A row with its limit and its rival, whose rounds lie so far apart.</summary>
    private static List<Result> Made(double spread) => Rivals.Beside(
    [
        Row("limit.pingpong64.2lines", 200, spread),
        Row("rpc.sync.64.spin.cs", 400, Steady) with { LimitValue = 200, Ratio = 2, LimitSpread = spread },
        Row("uds.spin.64", 8, spread),
    ]);

    private static Result Row(string name, double value, double spread) => new(Figures.Named(name), value, Spread: spread);
}
