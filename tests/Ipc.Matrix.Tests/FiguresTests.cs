using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Enumeration;
using System.Linq;
using System.Runtime.CompilerServices;
using Ipc.Rpc;
using Xunit;

namespace Ipc.Matrix.Tests;

/// <summary>The rows of bench/run.sh do not flatter: who stands beside whom, what comes first, and what is no verdict.</summary>
public sealed class FiguresTests
{
    private static readonly string[] _names = [.. Figures.All.Select(static figure => figure.Name)];

    [Fact]
    public void EveryNameIsThereOnceAndEveryRowBesideItExists()
    {
        Assert.Equal(_names.Length, _names.Distinct().Count());
        Assert.All(Figures.All, static figure =>
        {
            Assert.True(figure.Limit is null || _names.Contains(figure.Limit), $"{figure.Name}: {figure.Limit}");
            Assert.True(figure.Rival is null || _names.Contains(figure.Rival), $"{figure.Name}: {figure.Rival}");
        });
    }

    /// <summary>What spins is faster than what sleeps, whatever the library does: for every row, not for round trips alone.</summary>
    [Fact]
    public void WhatSpinsHasARivalThatSpinsAndWhatSleepsOneThatSleeps()
    {
        Figure[] judged = [.. Figures.All.Where(static figure => figure.Rival is not null)];
        Assert.True(judged.Count(static figure => figure.Spins && !figure.Latency) >= 8);
        Assert.All(judged, static figure => Assert.True(figure.Spins == Figures.Named(figure.Rival!).Spins, $"{figure.Name} beside {figure.Rival}"));
    }

    /// <summary>And whose limit is a time of another kind would be judged by it. A limit of one process neither spins nor sleeps.</summary>
    [Fact]
    public void WhatSpinsHasALimitThatDoesNotSleep()
    {
        Figure[] judged = [.. Figures.All.Where(static figure => figure is { Spins: true, Limit: not null } && !IsOfOneProcess(figure.Limit))];
        Assert.True(judged.Length > 40);
        Assert.All(judged, static figure => Assert.True(Figures.Named(figure.Limit!).Spins, $"{figure.Name} beside {figure.Limit}"));

        static bool IsOfOneProcess(string name) => name == "limit.memcpy.1m" || name.StartsWith("codec.", StringComparison.Ordinal);
    }

    /// <summary>A row that is not said to spin would be compared with what sleeps.</summary>
    [Fact]
    public void WhatIsNamedForItsSpinningIsSaidToSpin() => Assert.All(Figures.All, static figure =>
    {
        string[] parts = figure.Name.Split('.');
        Assert.True(!parts.Contains("spin") || figure.Spins, figure.Name);
        Assert.True(!parts.Contains("block") || !figure.Spins, figure.Name);
    });

    [Fact]
    public void WhatPublishesStandsBesideAPublisherAndWhatSendsBesideASender()
    {
        foreach (Figure figure in Figures.All.Where(static figure => figure.Rival?.StartsWith("rival.zeromq", StringComparison.Ordinal) == true))
            Assert.Equal(figure.Name.StartsWith("topic.", StringComparison.Ordinal), figure.Rival!.Contains(".pubsub.", StringComparison.Ordinal));
    }

    [Fact]
    public void WhatIsDemandedIsThere() => Assert.Empty(Demanded().Except(_names));

    /// <summary>A mean says nothing of the tail: every time of a round trip has p50, p99, p99.9 and the maximum. What has none is a time of something else, and is here by name.</summary>
    [Fact]
    public void EveryRoundTripHasItsQuantiles()
    {
        string[] others =
        [
            "limit.memcpy.*", "codec.*", // one process
            "limit.slotqueue.*", "queue.*", "topic.*", "rival.*", "amqp.fanout.64", "rabbitmq.client.fanout.64", // one way
            "amqp.queue.64", "rabbitmq.client.queue.64", // one way, many under way
            "connect.1000", // all of them together
        ];
        Figure[] times = [.. Figures.All.Where(static figure => figure.Unit is Unit.Nanoseconds or Unit.Microseconds or Unit.Milliseconds)];
        string[] without = [.. times.Where(static figure => !figure.Latency && !figure.IsPlain).Select(static figure => figure.Name)];
        Assert.All(without, name => Assert.Contains(others, pattern => FileSystemName.MatchesSimpleExpression(pattern, name)));
        Assert.All(others, pattern => Assert.Contains(without, name => FileSystemName.MatchesSimpleExpression(pattern, name)));
        Assert.All(Figures.All.Where(static figure => figure.Latency), static figure => Assert.Contains(figure.Unit, new[] { Unit.Nanoseconds, Unit.Microseconds, Unit.Milliseconds }));
    }

    /// <summary>The options that a row's calls get are those of a program that sets none, but for what its name or its mark says.</summary>
    [Fact]
    public void OnlyANameOrAMarkSetsAnOption() => Assert.All(Figures.All, static figure =>
    {
        Dictionary<string, bool> said = new()
        {
            ["Client.ConnectTimeout"] = true, // until the server is there: no matter of calls
            ["Client.WaitMode"] = figure.Wait is not null || figure.Tuned?.ClientWait is not null,
            ["Server.WaitMode"] = figure.Wait is not null,
            ["Client.ToClientCapacity"] = figure.Tuned?.ToClientCapacity is not null,
            ["Client.StreamWindow"] = figure.Tuned?.StreamWindow is not null,
        };
        string[] set = [.. Differences("Client", CallOptions.Client(figure), new RpcClientOptions()), .. Differences("Server", CallOptions.Server(figure), new RpcServerOptions())];
        Assert.All(set, option => Assert.True(said.GetValueOrDefault(option), $"{figure.Name}: {option}"));
    });

    /// <summary>And nobody sets them elsewhere.</summary>
    [Fact]
    public void ARowsCallsHaveTheirOptionsFromTheListOfRows()
    {
        string[] files = Directory.GetFiles(Path.Combine(Repository(), "bench", "Ipc.Matrix", "Subjects"), "Rpc*.cs");
        Assert.NotEmpty(files);
        Assert.All(files, static file => Assert.DoesNotContain("ClientOptions", File.ReadAllText(file), StringComparison.Ordinal));
        Assert.All(files, static file => Assert.DoesNotContain("ServerOptions", File.ReadAllText(file), StringComparison.Ordinal));
        string cpp = File.ReadAllText(Path.Combine(Repository(), "bench", "native", "rpc.cpp"));
        Assert.DoesNotMatch("options\\.(?!wait =)", cpp);
    }

    /// <summary>Queues and topics of the rows have blocks that fit their messages, and one way both ends of a ring spin: the names do not say it.</summary>
    [Fact]
    public void WhatIsNotSaidByTheNameIsMarked()
    {
        Assert.All(Figures.All, static figure => Assert.True(
            figure.Runner is not (Runner.NativeCrew or Runner.ManagedCrew) && !figure.Name.StartsWith("ring.oneway.", StringComparison.Ordinal) || figure.Tuned is not null, figure.Name));
        Assert.All(Figures.All.Where(static figure => figure.Tuned is not null), static figure => Assert.NotEmpty(figure.Tuned!.ToString()));
    }

    [Fact]
    public void LargerRingsAndWindowsComeAfterTheDefaults()
    {
        Figure[] tuned = [.. Figures.All.Where(static figure => figure.Tuned is { ToClientCapacity: not null } or { StreamWindow: not null })];
        Assert.NotEmpty(tuned);
        Assert.All(tuned, static figure =>
        {
            int at = Array.IndexOf(_names, figure.Name), dot = figure.Name.LastIndexOf('.');
            Figure before = Figures.Named($"{figure.Name[..dot]}.default{figure.Name[dot..]}");
            Assert.True(Array.IndexOf(_names, before.Name) < at && before.Tuned is null, figure.Name);
        });
    }

    /// <summary>What has to be shown of a plain program, and of a busy machine, with the tail beside the median.</summary>
    private static IEnumerable<string> Demanded()
    {
        foreach (string quantile in new[] { "", ".p99", ".p999", ".max" })
        {
            foreach (string call in new[] { "rpc.sync.64.cs", "rpc.sync.64.cpp", "uds.64" })
            {
                yield return $"default.{call}{quantile}";
                for (int loops = 0; loops <= 2; loops++)
                    yield return $"busy.{loops}.{call}{quantile}";
            }

            for (int loops = 0; loops <= 2; loops++) // with those above: callers and servers of both languages
            {
                yield return $"busy.{loops}.rpc.sync.64.cs-cpp{quantile}";
                yield return $"busy.{loops}.rpc.sync.64.cpp-cs{quantile}";
            }

            yield return $"default.rpc.async.64.cs{quantile}";
        }

        foreach (string kind in new[] { "queue", "ring", "topic" })
        {
            yield return $"cliff.{kind}.c";
            yield return $"cliff.{kind}.cs";
        }
    }

    /// <summary>Nothing may be dearer than twice by one byte, and the targets of calls are the ones that were promised.</summary>
    [Theory]
    [InlineData("rpc.sync.64.spin.cs", "limit.pingpong64.2lines", 3)]
    [InlineData("rpc.sync.64.spin.cpp", "limit.pingpong64.2lines", 3)]
    [InlineData("ring.echo.64.spin.c", "limit.pingpong64.2lines", 1.0)]
    [InlineData("ring.echo.64.spin.cs", "limit.pingpong64.2lines", 1.15)]
    [InlineData("rpc.sync.4k.spin.cs", "rpc.sync.4k.spin.cpp", 1.5)]
    [InlineData("default.rpc.sync.64.cs", "default.uds.64", 0.2)]
    [InlineData("default.rpc.async.64.cs", "default.uds.64", 0.4)]
    [InlineData("default.rpc.async.64.cs.p99", "default.uds.64.p99", 0.6)]
    [InlineData("busy.1.rpc.sync.64.cs", "busy.1.uds.64", 0.8)]
    [InlineData("busy.1.rpc.sync.64.cs.p99", "busy.1.uds.64.p99", 1)]
    [InlineData("busy.0.rpc.sync.64.cs-cpp", "busy.0.uds.64", 0.8)]
    [InlineData("busy.1.rpc.sync.64.cpp-cs", "busy.1.uds.64", 0.8)]
    [InlineData("busy.2.rpc.sync.64.cs-cpp.p99", "busy.2.uds.64.p99", 1)]
    [InlineData("busy.2.rpc.sync.64.cpp-cs.p99", "busy.2.uds.64.p99", 1)]
    public void ATargetIsWhatWasPromised(string name, string limit, double target)
    {
        Figure figure = Figures.Named(name);
        Assert.Equal((limit, target), (figure.Limit, figure.Target));
    }

    private static IEnumerable<string> Differences<T>(string side, T options, T defaults) => typeof(T).GetProperties()
        .Where(property => property.PropertyType.IsValueType || property.PropertyType == typeof(string)) // what is a list or a delegate is empty in both
        .Where(property => !Equals(property.GetValue(options), property.GetValue(defaults)))
        .Select(property => $"{side}.{property.Name}");

    private static string Repository([CallerFilePath] string here = "") => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(here)!, "../.."));

    [Theory]
    [InlineData(0.25, true, false)]
    [InlineData(0.26, null, true)]
    [InlineData(2.86, null, true)]
    public void ASpreadAboveAQuarterIsNoVerdict(double spread, bool? reached, bool unstable)
    {
        Result result = new(Figures.Named("rpc.sync.64.spin.cs"), 300, 200, 1.5, spread);
        Assert.Equal(unstable, result.IsUnstable);
        Assert.Equal(reached, result.Reached);
    }
}
