using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>How many requests a recalculation costs. Time stands still but for what the tests say.</summary>
public sealed class BatchTests : SheetTest, IDisposable
{
    private readonly string _name = NewName();
    private readonly FakeSheet _daemon;
    private long _now = 1;

    public BatchTests() => _daemon = new FakeSheet(_name);

    public void Dispose() => _daemon.Dispose();

    [Fact]
    public void ARecalculationIsOneRequestOnceItsCellsAreKnown()
    {
        using SheetFunctions sheet = Sheet();
        Assert.Equal(["a.p#1", "b.p#2", "c.p#3"], Recalculate(sheet, "a", "b", "c"));
        Stale();
        Assert.Equal(["a.p#4", "b.p#4", "c.p#4"], Recalculate(sheet, "a", "b", "c"));
        Stale();
        Assert.Equal(["c.p#5", "b.p#5", "a.p#5"], Recalculate(sheet, "c", "b", "a")); // the other way round, as Excel sometimes does
        Assert.Equal([1, 1, 1, 3, 3], _daemon.Requests);
        SheetCounters counters = sheet.Counters(_name);
        Assert.Equal((9, 5, 9, 0), (counters.Functions, counters.Requests, counters.Cells, counters.Failures));
    }

    /// <summary>The first of them is asked for at once; what has gathered by then goes together.</summary>
    [Fact]
    public async Task NewCellsThatNobodyWaitsForShareRequests()
    {
        const int Count = 10_000;
        using SheetFunctions sheet = Sheet(options => options.BatchCells = 4096);
        using ManualResetEventSlim allAsked = new();
        _daemon.Answer = request =>
        {
            allAsked.Wait(Eventually.Watchdog);
            return CellPacking.Pack(FakeSheet.Row(request, 0));
        };
        Task<CellValue>[] cells = [.. Enumerable.Range(0, Count).Select(i => sheet.GetAsync(_name, "id" + i, "p"))];
        allAsked.Set();
        CellValue[] values = await Task.WhenAll(cells);
        for (int i = 0; i < Count; i++)
            Assert.Equal($"id{i}.p#0", values[i].Text);
        Assert.InRange(_daemon.Requests.Length, 3, 5); // 10,000 by 4,096 are 3, and those that had gathered before the first was answered
        Assert.Equal(Count, _daemon.Requests.Sum());
    }

    /// <summary>Many cells take many requests, and those that come last have as much time as the first.</summary>
    [Fact]
    public async Task EachRequestOfThoseWhoDoNotWaitHasItsOwnTime()
    {
        using SheetFunctions sheet = Sheet(options =>
        {
            options.BatchCells = 1;
            options.PatientDeadline = TimeSpan.FromSeconds(3);
        });
        _daemon.Answer = request =>
        {
            Thread.Sleep(TimeSpan.FromSeconds(1.25));
            return CellPacking.Pack(FakeSheet.Row(request, 0));
        };
        Task<CellValue>[] cells = [.. Enumerable.Range(0, 4).Select(i => sheet.GetAsync(_name, "id" + i, "p"))];
        CellValue[] values = await Task.WhenAll(cells); // three of them in one go
        Assert.Equal(["id0.p#0", "id1.p#0", "id2.p#0", "id3.p#0"], values.Select(value => value.Text));
    }

    [Fact]
    public async Task WhatIsFreshIsNotAskedForByThoseWhoDoNotWait()
    {
        using SheetFunctions sheet = Sheet();
        Assert.Equal("a.p#1", sheet.Get(_name, "a", "p").Text);
        Assert.Equal("a.p#1", (await sheet.GetAsync(_name, "a", "p")).Text);
        Stale();
        Assert.Equal("a.p#2", (await sheet.GetAsync(_name, "a", "p")).Text);
    }

    [Fact]
    public async Task WhoDoesNotWaitIsAnsweredWhenThereIsNobodyAndAtTheEnd()
    {
        SheetFunctions sheet = Sheet(options => options.PatientDeadline = Eventually.Watchdog);
        Assert.Equal(CellValue.NotAvailable, await sheet.GetAsync(_name + "-absent", "a", "p"));
        using ManualResetEventSlim end = new();
        _daemon.Answer = request =>
        {
            end.Wait(Eventually.Watchdog);
            return CellPacking.Pack(FakeSheet.Row(request, 0));
        };
        Task<CellValue> first = sheet.GetAsync(_name, "a", "p"), second = sheet.GetAsync(_name, "b", "p");
        Eventually.True(() => _daemon.Requests.Length == 1, "the first cell is asked for");
        sheet.Dispose();
        Assert.Equal(CellValue.NotAvailable, await first);
        Assert.Equal(CellValue.NotAvailable, await second);
        end.Set();
    }

    /// <summary>A function that waits, and cells that nobody waits for: each has its answer, whoever asks for it.</summary>
    [Fact]
    public async Task ThoseWhoWaitAndThoseWhoDoNotShareRequests()
    {
        using SheetFunctions sheet = Sheet(options => options.Deadline = Eventually.Watchdog);
        for (int turn = 0; turn < 200; turn++)
        {
            Task<CellValue> a = sheet.GetAsync(_name, "a", "p"), b = sheet.GetAsync(_name, "b", "p");
            Assert.StartsWith("c.p#", sheet.Get(_name, "c", "p").Text, StringComparison.Ordinal);
            Assert.StartsWith("a.p#", (await a).Text, StringComparison.Ordinal);
            Assert.StartsWith("b.p#", (await b).Text, StringComparison.Ordinal);
            Stale();
        }
    }

    [Fact]
    public void WithoutBatchingEachCellIsARequest()
    {
        using SheetFunctions sheet = Sheet(options => options.Batching = false);
        Recalculate(sheet, "a", "b");
        Recalculate(sheet, "a", "b");
        Assert.Equal([1, 1, 1, 1], _daemon.Requests);
    }

    [Fact]
    public void NoValueIsOlderThanItsFreshness()
    {
        using SheetFunctions sheet = Sheet();
        Assert.Equal(["a.p#1", "a.p#1"], Recalculate(sheet, "a", "a"));
        _now += Clock.Ticks(new SheetOptions().Freshness) - 1;
        Assert.Equal(["a.p#1"], Recalculate(sheet, "a"));
        _now++;
        Assert.Equal(["a.p#2"], Recalculate(sheet, "a"));
    }

    [Fact]
    public void ALongRecalculationAsksForWhatIsLeftOfIt()
    {
        using SheetFunctions sheet = Sheet(options => options.BatchCells = 3);
        Recalculate(sheet, "a", "b", "c", "d", "e");
        Stale();
        Assert.Equal(["a.p#6", "b.p#6"], Recalculate(sheet, "a", "b"));
        Stale();
        Assert.Equal(["c.p#7", "d.p#7", "e.p#7"], Recalculate(sheet, "c", "d", "e"));
        Assert.Equal([1, 1, 1, 1, 1, 3, 3], _daemon.Requests);
    }

    [Fact]
    public void ACellThatHasLeftTheSheetIsForgotten()
    {
        using SheetFunctions sheet = Sheet();
        Recalculate(sheet, "a", "gone");
        for (int i = 0; i < 5; i++)
        {
            Stale();
            Recalculate(sheet, "a");
        }
        Assert.Equal([1, 1, 2, 2, 2, 1, 1], _daemon.Requests);
        Assert.Equal(1, sheet.Remembered(_name));
    }

    /// <summary>Ids that a formula makes of the time or at random: each is asked for once, and each request is for a new cell.</summary>
    [Fact]
    public void CellsThatAreAskedForOnceDoNotGather()
    {
        const int BatchCells = 2, Calculations = 200;
        using SheetFunctions sheet = Sheet(options => options.BatchCells = BatchCells);
        for (int i = 0; i < Calculations; i++)
        {
            sheet.Get(_name, "id" + i, "p");
            sheet.Get(_name + "-absent", "id" + i, "p");
            Stale();
        }
        Assert.InRange(sheet.Remembered(_name), 1, 4 * BatchCells);
        Assert.InRange(sheet.Remembered(_name + "-absent"), 1, 4 * BatchCells);
    }

    [Fact]
    public void ThreadsThatAskAtTheSameTimeShareARequest()
    {
        using SheetFunctions sheet = Sheet();
        using var asked = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        _daemon.Answer = request =>
        {
            asked.Set();
            Assert.True(go.Wait(Eventually.Watchdog));
            return CellPacking.Pack(FakeSheet.Row(request, 0));
        };
        var values = new CellValue[8];
        Thread[] threads = [.. Enumerable.Range(0, 8).Select(i => new Thread(() => values[i] = sheet.Get(_name, "id" + i, "p")))];
        threads[0].Start();
        Assert.True(asked.Wait(Eventually.Watchdog));
        foreach (Thread thread in threads[1..])
            thread.Start();
        Eventually.True(() => sheet.Remembered(_name) == 8, "every thread has said what it wants");
        go.Set();
        foreach (Thread thread in threads)
            Assert.True(thread.Join(Eventually.Watchdog));

        Assert.Equal([1, 7], _daemon.Requests);
        Assert.Equal(Enumerable.Range(0, 8).Select(i => CellValue.Of($"id{i}.p#0")), values);
    }

    [Fact]
    public void SomeThreadsInAHurryGetTheRightValues()
    {
        using SheetFunctions sheet = Sheet();
        int wrong = 0;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(thread => new Thread(() =>
        {
            for (int i = 0; i < 2000; i++)
            {
                string id = "id" + ((i * (thread + 1)) % 100);
                if (!sheet.Get(_name, id, "p").Text.StartsWith(id + ".p#", StringComparison.Ordinal))
                    Interlocked.Increment(ref wrong);
                if (i % 50 == 0)
                    Interlocked.Add(ref _now, Clock.Ticks(TimeSpan.FromSeconds(1)));
            }
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            Assert.True(thread.Join(Eventually.Watchdog));
        Assert.Equal(0, wrong);
        Assert.Equal(8000, sheet.Counters(_name).Functions);
        Assert.InRange(sheet.Counters(_name).Requests, 1, 7999);
    }

    [Fact]
    public void AGridIsOneRequest()
    {
        using SheetFunctions sheet = Sheet();
        _daemon.Answer = request => CellPacking.Pack(CellGrid.Filled(request.Ids.Count, request.Fields.Count, Number(7)));
        CellGrid grid = sheet.Grid(_name, ["a", "b"], ["p", "q", "r"]);
        Assert.Equal((2, 3), (grid.Rows, grid.Columns));
        Assert.All(grid.RowMajor.ToArray(), static value => Assert.Equal(Number(7), value));
        Assert.Equal([6], _daemon.Requests);
        Assert.Equal(0, sheet.Grid(_name, [], ["p"]).Rows);
    }

    private SheetFunctions Sheet(Action<SheetOptions>? set = null)
    {
        SheetOptions options = Patient;
        options.Now = () => Interlocked.Read(ref _now);
        set?.Invoke(options);
        return new SheetFunctions(options);
    }

    private void Stale() => _now += Clock.Ticks(TimeSpan.FromHours(1));

    private string[] Recalculate(SheetFunctions sheet, params string[] ids) => ids.Select(id => sheet.Get(_name, id, "p").Text).ToArray();
}
