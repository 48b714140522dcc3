using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>Values that come by themselves.</summary>
public sealed class StreamTests : SheetTest
{
    private static readonly string s_self = "pid:" + Environment.ProcessId;

    [Theory]
    [MemberData(nameof(Daemon.Languages), MemberType = typeof(Daemon))]
    public void AStreamedCellChangesWithoutBeingAskedFor(string language)
    {
        string name = NewName();
        using var daemon = Daemon.Start(language, name);
        SheetOptions options = Patient;
        options.Now = static () => 1; // an answer to a question stays what it is: only the stream brings another
        options.StreamInterval = TimeSpan.FromMilliseconds(10);
        using var sheet = new SheetFunctions(options);
        CellValue first = sheet.Stream(name, s_self, "uptime");
        Assert.Equal(CellKind.Number, first.Kind);
        Eventually.True(() => sheet.Stream(name, s_self, "uptime").Number > first.Number, "the streamed cell changes");
        CellValue another = sheet.Stream(name, s_self, "parent"); // joins the subscription
        Assert.Equal(CellKind.Number, another.Kind);
        double then = sheet.Stream(name, s_self, "uptime").Number;
        Eventually.True(() => sheet.Stream(name, s_self, "uptime").Number > then, "it still changes");
    }

    [Theory]
    [InlineData(Daemon.CSharp, Daemon.Cpp)]
    [InlineData(Daemon.Cpp, Daemon.CSharp)]
    public void AnObserverIsToldOfValuesOfTheEndAndOfTheNextDaemon(string first, string second)
    {
        string name = NewName();
        SheetOptions options = Patient;
        options.StreamInterval = TimeSpan.FromMilliseconds(10);
        using var sheet = new SheetFunctions(options);
        var observer = new Observer();
        using IDisposable subscription = sheet.Observe(name, s_self, "uptime").Subscribe(observer);
        using (var daemon = Daemon.Start(first, name))
        {
            double seen = observer.Next(static value => value.Kind == CellKind.Number).Number;
            observer.Next(value => value.Number > seen);
            daemon.Kill();
        }
        observer.Next(static value => value == CellValue.NotAvailable);
        using (Daemon.Start(second, name))
        {
            observer.Next(static value => value.Kind == CellKind.Number);
            subscription.Dispose();
        }
    }

    [Fact]
    public void AnObserverThatThrowsHurtsNobody()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        using var sheet = new SheetFunctions(Patient);
        var observer = new Observer();
        using IDisposable rude = sheet.Observe(name, "a", "p").Subscribe(new Observer { Throws = true });
        using IDisposable polite = sheet.Observe(name, "a", "p").Subscribe(observer);
        observer.Next(static value => value == CellValue.Of("first"));
        Eventually.True(() => sheet.Status(name).Text.Contains("a reader of a stream failed: rude", StringComparison.Ordinal), "the reason is known");
    }

    /// <summary>As when a workbook is closed. Each that ended looked at all others: 20,000 took half a minute of the host's main thread.</summary>
    [Fact]
    public async Task ManyCellsMayEndAtOnce()
    {
        const int Count = 100_000;
        string name = NewName();
        using var daemon = new FakeSheet(name);
        using var sheet = new SheetFunctions(Patient);
        var observer = new Observer();
        IDisposable[] all = [.. Enumerable.Range(0, Count).Select(i => sheet.Observe(name, "id" + i, "p").Subscribe(observer))];
        observer.Next(value => value == CellValue.Of("first"));
        await Task.Delay(500); // until the last of them have joined the others
        await Eventually.Ends(Task.Run(() => Array.ForEach(all, static one => one.Dispose())));
    }

    [Fact]
    public void AStreamOfNoDaemonHasNoValue()
    {
        using var sheet = new SheetFunctions();
        Assert.Equal(CellValue.NotAvailable, sheet.Stream(NewName(), "a", "p"));
    }

    private sealed class Observer : IObserver<CellValue>
    {
        private readonly BlockingCollection<CellValue> _values = [];

        public bool Throws { get; set; }

        public void OnCompleted()
        {
        }

        public void OnError(Exception error)
        {
        }

        public void OnNext(CellValue value)
        {
            if (Throws)
                throw new InvalidOperationException("rude");
            _values.Add(value);
        }

        /// <summary>The next value of that kind; others are passed over.</summary>
        public CellValue Next(Func<CellValue, bool> wanted)
        {
            using var watchdog = new CancellationTokenSource(Eventually.Watchdog);
            CellValue value;
            do
                value = _values.Take(watchdog.Token);
            while (!wanted(value));
            return value;
        }
    }
}
