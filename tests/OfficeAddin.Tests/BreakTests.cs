using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>A user who does not want to wait any longer.</summary>
public sealed class BreakTests : SheetTest
{
    private static readonly TimeSpan s_forGood = TimeSpan.FromHours(1);

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void WhatTheUserDoesNotWaitForIsNotAvailableAndNothingElseIsLost(string language)
    {
        string name = NewName();
        using var file = new CsvFile();
        using var daemon = Daemon.Start(language, name, "--csv", file.Path);
        var user = new User();
        using var sheet = new SheetFunctions(WaitsFor(user));
        Assert.Equal(Number(187.25), sheet.Get(name, "AAPL", "price"));

        daemon.Stop();
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "MSFT", "price"));
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Grid(name, ["MSFT"], ["price"])[0, 0]);
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Calc(name, "sum", [])[0, 0]);
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Functions(name)[0, 0]);
        user.BreaksAfter(2);
        Assert.Equal("down: the user has pressed Escape", sheet.Status(name).Text);
        SheetCounters before = sheet.Counters(name);
        for (int i = 0; i < 1000; i++) // he wants the whole calculation to end
            Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "id" + i, "price"));
        daemon.Continue();

        user.BreaksAfter(null);
        Assert.Equal(Number(411.5), sheet.Get(name, "MSFT", "price"));
        Assert.Contains("the user has pressed Escape", sheet.Status(name).Text, StringComparison.Ordinal);
        Assert.True(sheet.Counters(name).Failures >= before.Failures + 1000);
    }

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void ACalculationThatNobodyWaitsForIsCancelled(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        var user = new User();
        using var sheet = new SheetFunctions(WaitsFor(user));
        Assert.Equal(Number(3), sheet.Calc(name, "sum", [Numbers(1, 2)])[0, 0]);
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Calc(name, "slow", [Numbers(60_000)])[0, 0]);
        user.BreaksAfter(null);
        Assert.Equal(Number(3), sheet.Calc(name, "sum", [Numbers(1, 2)])[0, 0]);
    }

    /// <summary>The daemon is told.</summary>
    [Fact]
    public void ACalculationThatIsBrokenOffIsCancelledAtItsDaemon()
    {
        string name = NewName();
        using var isCancelled = new ManualResetEventSlim();
        using var daemon = new FakeSheet(name);
        daemon.Calculation = cancel =>
        {
            if (cancel.WaitHandle.WaitOne(Eventually.Watchdog))
                isCancelled.Set();
            return CellPacking.Pack(CellGrid.Of(CellValue.Empty));
        };
        var user = new User();
        using var sheet = new SheetFunctions(WaitsFor(user));
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Calc(name, "any", [])[0, 0]);
        Assert.True(isCancelled.Wait(Eventually.Watchdog));
    }

    /// <summary>Requests to daemons that hang may have all of its threads, and one that waits for such a thread waits as long as they do.</summary>
    [Fact]
    public void WhatCanBeBrokenOffNeedsNoThreadOfThePool()
    {
        Assert.False(UserBreaks.Run(new User(), static _ => Thread.CurrentThread.IsThreadPoolThread));
        Thread own = Thread.CurrentThread;
        Assert.Same(own, UserBreaks.Run(null, static _ => Thread.CurrentThread));
    }

    /// <summary>Somebody else's request has the cell in it: that one is not his to end, but he need not wait for it.</summary>
    [Fact]
    public async Task ACellThatAnotherThreadAsksForIsNotWaitedForEither()
    {
        string name = NewName();
        using var mayAnswer = new ManualResetEventSlim();
        using var isAsked = new ManualResetEventSlim();
        using var daemon = new FakeSheet(name);
        daemon.Answer = request =>
        {
            isAsked.Set();
            mayAnswer.Wait(Eventually.Watchdog);
            return CellPacking.Pack(FakeSheet.Row(request, 1));
        };
        var user = new User();
        using var sheet = new SheetFunctions(WaitsFor(user));
        Task<CellValue> other = Task.Run(() => sheet.Get(name, "a", "p"));
        Assert.True(isAsked.Wait(Eventually.Watchdog));
        user.BreaksAfter(2);
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "a", "p"));
        mayAnswer.Set();
        Assert.Equal(CellValue.Of("a.p#1"), await Eventually.Ends(other));
    }

    [Fact]
    public void OnThreadsThatCannotBeToldNobodyIsAsked()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        var user = new User { IsPossible = false };
        user.BreaksAfter(0);
        using var sheet = new SheetFunctions(WaitsFor(user));
        Assert.Equal(CellValue.Of("a.p#1"), sheet.Get(name, "a", "p"));
        Assert.Equal(0, user.Asked);
    }

    private static SheetOptions WaitsFor(User user) => new()
    {
        Deadline = s_forGood,
        AbsentPause = s_forGood,
        SlowPause = s_forGood,
        Freshness = TimeSpan.Zero,
        Break = user,
    };

    /// <summary>Is asked on the thread that has made it, and breaks the wait off when he has been asked often enough.</summary>
    private sealed class User : IUserBreak
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;
        private bool _isPossible = true;
        private int? _left;

        public bool IsPossible
        {
            get => _isPossible && Environment.CurrentManagedThreadId == _thread;
            set => _isPossible = value;
        }

        public int Asked { get; private set; }

        public void BreaksAfter(int? times) => _left = times;

        public bool HasCome()
        {
            Assert.Equal(_thread, Environment.CurrentManagedThreadId);
            Asked++;
            if (_left > 0)
                _left--;
            return _left == 0;
        }
    }
}
