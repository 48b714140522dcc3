using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;
using Ipc.Rpc.Tests;
using Xunit;

namespace OfficeAddin.Tests;

/// <summary>Add-ins are loaded, unloaded and loaded again while the host lives.</summary>
public sealed class LifetimeTests : SheetTest
{
    [Fact]
    public void AfterTheEndThereIsNothing()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        var sheet = new SheetFunctions(Patient);
        Assert.Equal(CellKind.Text, sheet.Get(name, "a", "p").Kind);
        sheet.Dispose();
        sheet.Dispose();
        Assert.Equal(CellValue.NotAvailable, sheet.Get(name, "a", "p"));
        Assert.Equal(CellValue.NotAvailable, sheet.Get("another", "a", "p"));
        Assert.Equal(CellValue.NotAvailable, sheet.Stream(name, "a", "p"));
        Assert.Equal("down: the add-in has been closed", sheet.Status(name).Text);
        Assert.Single(daemon.Requests);
    }

    [Fact]
    public void AHundredLivesLeaveNoThread()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        SheetOptions options = Patient;
        options.Now = static () => 1; // an answer stays fresh: each life asks once, however long it takes
        for (int life = 1; life <= 100; life++)
        {
            using var sheet = new SheetFunctions(options);
            Assert.Equal("a.p#" + life, sheet.Get(name, "a", "p").Text);
            if (life % 10 == 0)
                Eventually.True(() => sheet.Stream(name, "a", "p") == CellValue.Of("first"), "the stream has begun");
            else
                sheet.Stream(name, "a", "p");
        }
        NoThread("sheet sheet-");
        NoThread("ipc-rpc reader");
    }

    /// <summary>Each name that was ever typed had a thread for ever, and looked for its daemon ten times a second.</summary>
    [Fact]
    public void TwoHundredNamesHaveNoThreadsAndAreForgotten()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        SheetOptions options = Patient;
        options.StreamMemory = TimeSpan.FromMilliseconds(200);
        using var sheet = new SheetFunctions(options);
        using (sheet.Observe(name, "watched", "p").Subscribe(new Deaf()))
        {
            for (int i = 0; i < 200; i++)
                sheet.Stream(NewName(), "a", "p");
            Assert.Equal(0, Threads("sheet "));
            Eventually.True(() => sheet.Get("another", "a", "p") == CellValue.NotAvailable && sheet.Services == 2, "the names are forgotten");
            Eventually.True(() => daemon.Connections == 1, "it is connected"); // a cell of it is shown
        }

        Eventually.True(() => sheet.Get("another", "a", "p") == CellValue.NotAvailable && sheet.Services == 1, "the service is forgotten although its daemon says nothing");
        Eventually.True(() => daemon.Connections == 0, "and its connection with it");
        Eventually.True(() => sheet.Stream(name, "a", "p") == CellValue.Of("first"), "it is found again when it is asked for");
    }

    [Fact]
    public void AServiceIsNotForgottenWhileItIsUsed()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name) { Answer = static request => CellPacking.Pack(CellGrid.Filled(request.Ids.Count, request.Fields.Count, CellValue.Of("it"))) };
        SheetOptions options = Patient;
        options.StreamMemory = TimeSpan.Zero; // whatever is not used in this moment
        options.Freshness = TimeSpan.Zero;
        using var sheet = new SheetFunctions(options);
        bool ended = false;
        var failed = new System.Collections.Concurrent.ConcurrentQueue<string>();
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(i => new Thread(() =>
        {
            for (int id = 0; id < 300; id++)
            {
                if (sheet.Grid(name, ["id" + i], ["p"])[0, 0].Kind != CellKind.Text)
                    failed.Enqueue(sheet.Status(name).Text);
            }
        })), new Thread(() =>
        {
            while (!Volatile.Read(ref ended))
                sheet.Counters("another"); // forgets the others meanwhile
        })];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads[..^1])
            Assert.True(thread.Join(Eventually.Watchdog), "a function waits for ever");
        Volatile.Write(ref ended, true);
        Assert.True(threads[^1].Join(Eventually.Watchdog));
        Assert.Empty(failed);
    }

    [Theory]
    [InlineData(0, 100)]
    [InlineData(1, 200)]
    [InlineData(4, 1600)]
    [InlineData(5, 2000)]
    [InlineData(int.MaxValue, 2000)]
    public void ADaemonThatIsNotThereIsAskedForLessAndLessOften(int failures, int milliseconds) =>
        Assert.Equal(TimeSpan.FromMilliseconds(milliseconds), CellStreams.PauseAfter(failures));

    [Fact]
    public void TheEndDoesNotWaitForFunctionsAndTheyDoNotWaitForIt()
    {
        string name = NewName();
        using var daemon = new FakeSheet(name);
        var sheet = new SheetFunctions(Patient);
        int calls = 0;
        bool ended = false;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(i => new Thread(() =>
        {
            for (int id = 0; !Volatile.Read(ref ended); id++)
            {
                sheet.Get(name, "id" + id, "p");
                sheet.Stream(name, "id" + (id % 10), "p");
                Interlocked.Increment(ref calls);
            }
            sheet.Get(name, "last", "p");
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        Eventually.True(() => Volatile.Read(ref calls) > 100, "functions run");
        sheet.Dispose();
        Volatile.Write(ref ended, true);
        foreach (Thread thread in threads)
            Assert.True(thread.Join(Eventually.Watchdog), "a function waits for ever");
        NoThread("sheet sheet-");
    }

    [Fact]
    public void ALoadContextWithTheFunctionsInItCanBeUnloaded()
    {
        string name = NewName();
        using var file = new CsvFile();
        using var daemon = Daemon.Start(Daemon.Cpp, name, "--csv", file.Path);
        WeakReference context = LoadUseUnload(name);
        Eventually.True(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !context.IsAlive;
            },
            "the load context is gone");
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // no local of this thread may keep it
    private static WeakReference LoadUseUnload(string name)
    {
        var context = new AddinContext();
        Assembly core = context.LoadFromAssemblyName(new AssemblyName("OfficeAddin.Core"));
        Type options = core.GetType("OfficeAddin.SheetOptions", throwOnError: true)!;
        object patient = Activator.CreateInstance(options)!;
        options.GetProperty(nameof(SheetOptions.Deadline))!.SetValue(patient, Eventually.Watchdog);
        Type type = core.GetType("OfficeAddin.SheetFunctions", throwOnError: true)!;
        var sheet = (IDisposable)Activator.CreateInstance(type, patient)!;
        Assert.Equal("187.25", type.GetMethod(nameof(SheetFunctions.Get))!.Invoke(sheet, [name, "AAPL", "price"])!.ToString());
        Assert.Equal("187.25", type.GetMethod(nameof(SheetFunctions.Stream))!.Invoke(sheet, [name, "AAPL", "price"])!.ToString());
        sheet.Dispose();
        Assert.Contains(context.Assemblies, static assembly => assembly.GetName().Name == "Ipc.Core");
        context.Unload();
        return new WeakReference(context);
    }

    // Eventually: the system lists a thread for a moment after it has been joined.
    private static void NoThread(string name) => Eventually.True(() => Threads(name) == 0, $"no thread is named {name}");

    /// <summary>Threads of this process whose names begin so.</summary>
    private static int Threads(string name)
    {
        int count = 0;
        foreach (string thread in Directory.GetDirectories("/proc/self/task"))
        {
            try
            {
                if (File.ReadAllText(Path.Combine(thread, "comm")).StartsWith(name, StringComparison.Ordinal))
                    count++;
            }
            catch (IOException)
            {
                // It ended between two looks.
            }
        }
        return count;
    }

    private sealed class Deaf : IObserver<CellValue>
    {
        public void OnCompleted()
        {
        }

        public void OnError(Exception error)
        {
        }

        public void OnNext(CellValue value)
        {
        }
    }

    private sealed class AddinContext : AssemblyLoadContext
    {
        public AddinContext()
            : base("add-in", isCollectible: true)
        {
        }

        protected override Assembly? Load(AssemblyName assemblyName)
        {
            if (assemblyName.Name is not { } name || (!name.StartsWith("Ipc.", StringComparison.Ordinal) && !name.StartsWith("OfficeAddin.", StringComparison.Ordinal)))
                return null;
            using var bytes = new MemoryStream(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, name + ".dll"))); // as Excel-DNA does it
            return LoadFromStream(bytes);
        }
    }
}
