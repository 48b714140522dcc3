using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.Tests;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>What a sheet shows when its daemon is missing, slow, killed, or another one: #N/A with the reason, and values as soon as there are some.</summary>
public sealed class FailureTests : SheetTest
{
    private static readonly TimeSpan s_forGood = TimeSpan.FromHours(1);

    public static TheoryData<string, string> Successions => new()
    {
        { Daemon.CSharp, Daemon.Cpp },
        { Daemon.Cpp, Daemon.CSharp },
        { Daemon.Cpp, Daemon.Cpp },
    };

    [Fact]
    public void AMissingDaemonIsLookedForOnceAndNotByEveryCell()
    {
        SheetOptions options = Patient; // with a short deadline a busy machine would give that as the reason
        options.AbsentPause = options.SlowPause = s_forGood;
        using var sheet = new SheetFunctions(options);
        string name = NewName();
        for (int i = 0; i < 1000; i++)
            Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "id" + i, "p"));
        Assert.Equal(CellValue.NotAvailable, sheet.Calc(name, "sum", [])[0, 0]);
        CellGrid grid = sheet.Grid(name, ["a", "b"], ["p"]);
        Assert.Equal((2, 1, CellValue.NotAvailable), (grid.Rows, grid.Columns, grid[1, 0]));
        Assert.Equal((1, 1), (sheet.Counters(name).Requests, sheet.Counters(name).Failures));
        Assert.StartsWith($"down: There is no server \"{name}\"", sheet.Status(name).Text, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Successions))]
    public void TheNextRecalculationShowsTheNextDaemonsValues(string first, string second)
    {
        using var file = new CsvFile();
        string name = NewName();
        using SheetFunctions sheet = Always();
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "AAPL", "price"));
        using (var daemon = Daemon.Start(first, name, "--csv", file.Path))
        {
            Assert.Equal(Number(187.25), sheet.Get(name, "AAPL", "price"));
            daemon.Kill();
        }
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "AAPL", "price"));
        Assert.Equal(CellValue.NotAvailable, sheet.Grid(name, ["AAPL"], ["price"])[0, 0]);
        Assert.StartsWith("down: ", sheet.Status(name).Text, StringComparison.Ordinal);
        using (Daemon.Start(second, name, "--csv", file.Path))
        {
            Assert.Equal(Number(187.25), sheet.Get(name, "AAPL", "price"));
            Assert.StartsWith($"up: {second} daemon", sheet.Status(name).Text, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Successions))]
    public void ADaemonThatIsReplacedBetweenTwoRecalculationsIsNotMissed(string first, string second)
    {
        using var file = new CsvFile();
        string name = NewName();
        using SheetFunctions sheet = Always();
        using (var daemon = Daemon.Start(first, name, "--csv", file.Path))
        {
            Assert.Equal(Number(187.25), sheet.Get(name, "AAPL", "price"));
            daemon.Kill();
        }
        using var next = Daemon.Start(second, name, "--csv", file.Path);
        Assert.Equal(Number(187.25), sheet.Get(name, "AAPL", "price"));
        Assert.Equal(Number(3), sheet.Calc(name, "sum", [Numbers(1, 2)])[0, 0]);
    }

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void AStoppedDaemonCostsOneDeadlineAndNotOnePerCell(string language)
    {
        using var file = new CsvFile();
        string name = NewName();
        using var daemon = Daemon.Start(language, name, "--csv", file.Path);
        var patience = new SheetOptions { SlowPause = TimeSpan.Zero, Freshness = TimeSpan.Zero };
        using var connected = new SheetFunctions(patience);
        using var hopeful = new SheetFunctions(new SheetOptions { SlowPause = TimeSpan.Zero, Freshness = TimeSpan.Zero });
        Eventually.True(() => connected.Get(name, "AAPL", "price") == Number(187.25), "there is a connection");
        Eventually.True(() => hopeful.Get(name, "AAPL", "price") == Number(187.25), "there is another one");
        SheetCounters before = connected.Counters(name);
        patience.SlowPause = s_forGood; // not before there is a connection, which may take long on a busy machine

        daemon.Stop();
        for (int i = 0; i < 1000; i++)
            Assert.Equal(CellValue.NotAvailable, connected.Get(name, "id" + i, "p"));
        Assert.Equal(before.Requests + 1, connected.Counters(name).Requests);
        Assert.StartsWith("down: ", connected.Status(name).Text, StringComparison.Ordinal);
        for (int life = 0; life < 5; life++) // the first connects slowly, by code that is new; the others do not
            AConnectCostsOneDeadline(name);
        Assert.Equal(CellValue.NotAvailable, hopeful.Get(name, "AAPL", "price"));

        daemon.Continue();
        Eventually.True(() => hopeful.Get(name, "AAPL", "price") == Number(187.25), "the daemon that goes on is asked again");
    }

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void ASlowFunctionStopsNothingButItself(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        var patience = new SheetOptions { SlowPause = TimeSpan.Zero, AbsentPause = TimeSpan.Zero };
        using var sheet = new SheetFunctions(patience);
        Eventually.True(() => sheet.Calc(name, "count", [])[0, 0] == Number(0), "there is a connection");
        SheetCounters before = sheet.Counters(name);
        patience.SlowPause = s_forGood;
        for (int i = 0; i < 100; i++)
            Assert.Equal(CellValue.NotAvailable, sheet.Calc(name, "slow", [Numbers(60_000)])[0, 0]);
        Assert.Equal((before.Requests + 1, before.Failures + 1), (sheet.Counters(name).Requests, sheet.Counters(name).Failures));
        patience.SlowPause = TimeSpan.Zero;
        Assert.Contains("deadline", sheet.Status(name).Text, StringComparison.OrdinalIgnoreCase);
        Eventually.True(() => sheet.Calc(name, "sum", [Numbers(1, 2)])[0, 0] == Number(3), "other functions are quick");
    }

    /// <summary>One table that took too long made every cell of its service #N/A for a second.</summary>
    [Fact]
    public void ASlowTableStopsNothingButItself()
    {
        string name = NewName();
        using var mayAnswer = new ManualResetEventSlim();
        using var daemon = new FakeSheet(name);
        daemon.Answer = request =>
        {
            if (request.Picks.Count == 0 && request.Ids[0] == "slow")
                mayAnswer.Wait(Eventually.Watchdog);
            return request.Picks.Count == 0 ? CellPacking.Pack(CellGrid.Filled(request.Ids.Count, request.Fields.Count, Number(7))) : CellPacking.Pack(FakeSheet.Row(request, 1));
        };
        var patience = new SheetOptions { SlowPause = TimeSpan.Zero, AbsentPause = TimeSpan.Zero };
        using var sheet = new SheetFunctions(patience);
        Eventually.True(() => sheet.Grid(name, ["quick"], ["p"])[0, 0] == Number(7), "there is a connection");
        SheetCounters before = sheet.Counters(name);
        patience.SlowPause = s_forGood;
        for (int i = 0; i < 100; i++)
            Assert.Equal(CellValue.NotAvailable, sheet.Grid(name, ["slow"], ["p"])[0, 0]);
        Assert.Equal((before.Requests + 1, before.Failures + 1), (sheet.Counters(name).Requests, sheet.Counters(name).Failures));
        patience.SlowPause = TimeSpan.Zero; // what a busy machine makes slow now is asked again
        Eventually.True(() => sheet.Get(name, "a", "p").Kind == CellKind.Text, "cells are quick");
        Eventually.True(() => sheet.Grid(name, ["quick"], ["p"])[0, 0] == Number(7), "other tables are quick");
        Assert.Equal(CellValue.NotAvailable, sheet.Grid(name, ["slow"], ["p"])[0, 0]);
        mayAnswer.Set();
    }

    /// <summary>A thousand slow tables are one daemon that hangs: it is found out by asking it who it is, and left alone.</summary>
    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void AStoppedDaemonCostsTwoDeadlinesAndNotOnePerTable(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        var patience = new SheetOptions { SlowPause = TimeSpan.Zero, AbsentPause = TimeSpan.Zero };
        using var sheet = new SheetFunctions(patience);
        Eventually.True(() => sheet.Calc(name, "count", [])[0, 0] == Number(0), "there is a connection");
        SheetCounters before = sheet.Counters(name);
        patience.SlowPause = s_forGood;
        daemon.Stop();
        for (int i = 0; i < 1000; i++)
            Assert.Equal(CellValue.NotAvailable, sheet.Grid(name, ["id" + i], ["p"])[0, 0]);
        Assert.Equal(before.Requests + 2, sheet.Counters(name).Requests);
        daemon.Continue();
    }

    /// <summary>Those who wait for a daemon without an answer once had all threads of the pool, and the others' answers had none to come on.</summary>
    [Fact]
    public async Task ADaemonThatHangsHoldsUpNoOther()
    {
        string stopped = NewName(), name = NewName();
        using var daemon = Daemon.Start(Daemon.Cpp, stopped);
        using var other = Daemon.Start(Daemon.Cpp, name);
        using var sheet = new SheetFunctions(new SheetOptions { PatientDeadline = s_forGood, Deadline = s_forGood });
        Assert.Equal(Number(3), (await sheet.CalcAsync(stopped, "sum", [Numbers(1, 2)]))[0, 0]);
        daemon.Stop();
        Task<CellGrid>[] waiting = [];
        Task<CellGrid> sum = null!;
        Task<CellValue> none = null!;
        var host = new Thread(() => // whose threads are not the pool's
        {
            waiting = [.. Enumerable.Range(0, 500).Select(i => i % 2 == 0 ? sheet.CalcAsync(stopped, "f" + i, []) : sheet.GridAsync(stopped, ["id" + i], ["p"]))];
            sum = sheet.CalcAsync(name, "sum", [Numbers(1, 2)]);
            none = sheet.GetAsync(name, "none", "p");
        });
        host.Start();
        host.Join();
        Assert.Equal(Number(3), (await Eventually.Ends(sum))[0, 0]);
        Assert.Equal(CellValue.NotAvailable, await Eventually.Ends(none));
        Assert.DoesNotContain(waiting, task => task.IsCompleted);
        sheet.Dispose();
        Assert.All(await Eventually.Ends(Task.WhenAll(waiting)), grid => Assert.Equal(CellValue.NotAvailable, grid[0, 0]));
    }

    [Fact]
    public void ADaemonOfAnotherContractSaysSo()
    {
        string name = NewName();
        var other = new RpcMethod<GridRequest, Cells>("ipc.sheet.v2", "Grid", RpcMethodKind.Unary, SheetRpc.Grid.Request, SheetRpc.Grid.Response);
        using RpcServer server = RpcServer.Start(name, new RpcService("ipc.sheet.v2", [RpcHandler.Unary(other, static (_, _) => new Cells())]));
        using var sheet = new SheetFunctions(Patient);
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "a", "p"));
        Assert.StartsWith("down: the daemon does not speak ipc.sheet.v1", sheet.Status(name).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void AHostWithoutSharedMemorySaysSo()
    {
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        string file = Path.GetTempFileName();
        using var sheet = new SheetFunctions(Patient);
        try
        {
            Environment.SetEnvironmentVariable("IPC_DIR", Path.Combine(file, "no folder"));
            Assert.Equal(CellValue.NotAvailable, sheet.Get("any", "a", "p"));
            string status = sheet.Status("any").Text;
            Assert.StartsWith("down: ", status, StringComparison.Ordinal);
            Assert.Contains(file, status, StringComparison.Ordinal);
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
            File.Delete(file);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("a/b")]
    [InlineData(null)]
    public void WhatIsNoNameIsNoDaemon(string? name)
    {
        using var sheet = new SheetFunctions(Patient);
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name!, null!, null!));
        Assert.Equal(CellValue.NotAvailable, sheet.Grid(name!, [null!], [null!])[0, 0]);
        Assert.Equal(CellValue.NotAvailable, sheet.Calc(name!, null!, null!)[0, 0]);
        Assert.Equal(CellValue.NotAvailable, sheet.Stream(name!, null!, null!));
        Assert.StartsWith("down: ", sheet.Status(name!).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void AnswersThatAreNoneAreNoValues()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        using SheetFunctions sheet = Always();
        daemon.Answer = static _ => new Cells { Rows = 1, Columns = 2, Kinds = [1, 1] };
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "a", "p"));
        Assert.Contains("fewer numbers", sheet.Status(name).Text, StringComparison.Ordinal);
        daemon.Answer = static _ => CellPacking.Pack(CellGrid.Filled(2, 2, default));
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "a", "p"));
        Assert.Contains("2 x 2 cells in place of 1 x 1", sheet.Status(name).Text, StringComparison.Ordinal);
        daemon.Answer = static _ => throw new InvalidOperationException("out of order");
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "a", "p"));
        daemon.Answer = null;
        Assert.Equal(CellKind.Text, sheet.Get(name, "a", "p").Kind);

        Assert.Equal(CellValue.NotAvailable, sheet.Calc(name, "any", [])[0, 0]);
        string status = sheet.Status(name).Text;
        Assert.StartsWith("up: fake daemon", status, StringComparison.Ordinal);
        Assert.Contains("not today", status, StringComparison.Ordinal);
    }

    /// <summary>A sheet that comes when the daemon has stopped. With no pause after a failure that was quick: this one is not.</summary>
    private static void AConnectCostsOneDeadline(string name)
    {
        using var late = new SheetFunctions(new SheetOptions { SlowPause = s_forGood, AbsentPause = TimeSpan.Zero });
        for (int i = 0; i < 10; i++)
            Assert.Equal(CellValue.NotAvailable, late.Get(name, "id" + i, "p"));
        Assert.Equal(1, late.Counters(name).Requests);
        Assert.StartsWith("down: ", late.Status(name).Text, StringComparison.Ordinal);
    }

    /// <summary>A sheet in which nothing is remembered, neither values nor failures.</summary>
    private static SheetFunctions Always()
    {
        SheetOptions options = Patient;
        options.Freshness = options.SlowPause = TimeSpan.Zero;
        return new SheetFunctions(options);
    }
}
