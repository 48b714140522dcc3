using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What outlives a server whose methods are executed once.</summary>
public sealed class OnceStoreTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("ipc-once-").FullName;

    private string Path => System.IO.Path.Combine(_directory, "store");

    private string Log => System.IO.Path.Combine(_directory, "log");

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    /// <summary>A server dies at each place around what it writes; the call goes on at the next one.</summary>
    [Theory]
    [InlineData("before-begin", true, 1)]
    [InlineData("after-begin", false, 0)]
    [InlineData("before-doing", false, 0)]
    [InlineData("after-doing", false, 1)]
    [InlineData("before-end", false, 1)]
    [InlineData("after-end", true, 1)]
    public async Task AKilledServersCallIsAnsweredByTheNextOrKnownToBeUnknown(string where, bool isAnswered, int done)
    {
        string name = TestServer.NewName();
        using OtherProcess first = Peer.Start("once", name, Path, Log, where);
        using RpcClient client = RpcClient.Connect(name);
        var id = RpcOnceId.New();
        IOnceService service = OnceServiceRpc.Client(client.WithTimeout(Eventually.Watchdog).WithOnceId(id));
        Task<int> call = Task.Run(() => service.Do("a"), TestContext.Current.CancellationToken);
        Assert.NotEqual(0, first.WaitForExit());
        using OtherProcess next = Peer.Start("once", name, Path, Log);
        if (isAnswered)
            Assert.Equal(1, await Eventually.Ends(call));
        else
            Assert.Equal((RpcOnceRefusal.Unknown, RpcStatus.Aborted), Why(await Eventually.Fails(call)));
        Assert.Equal(done, Done());

        using RpcClient again = RpcClient.Connect(name);
        service = OnceServiceRpc.Client(again.WithOnceId(id));
        if (isAnswered)
            Assert.Equal(1, service.Do("a"));
        else
            OnceTests.Refused(RpcOnceRefusal.Unknown, RpcStatus.Aborted, () => service.Do("a"));
        Assert.Equal(done, Done());
        Assert.Equal(1, OnceServiceRpc.Client(again).Do("b") - (isAnswered && where == "before-begin" ? 1 : 0));
        next.Kill();
    }

    [Fact]
    public void OutcomesOfBothKindsOutliveTheServer()
    {
        var id = RpcOnceId.New();
        RpcOnceId failing;
        using (var store = new FileOnceStore(Path))
        {
            using var server = new OnceTests.OnceServer(once => once.Store = store);
            using RpcClient client = server.Connect();
            id = RpcOnceId.New();
            failing = RpcOnceId.New();
            Assert.Equal(1, OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
            Assert.Throws<RpcCallException>(() => OnceServiceRpc.Client(client.WithOnceId(failing)).Fail("cat"));
        }

        for (int i = 0; i < 2; i++)
        {
            using var store = new FileOnceStore(Path, survivesMachine: i == 1);
            using var server = new OnceTests.OnceServer(once => once.Store = store);
            using RpcClient client = server.Connect();
            Assert.Equal(1, OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
            RpcCallException e = Assert.Throws<RpcCallException>(() => OnceServiceRpc.Client(client.WithOnceId(failing)).Fail("cat"));
            Assert.Equal((RpcStatus.NotFound, "there is no cat"), (e.Status, e.Message));
            Assert.Equal(new byte[] { 1, 2, 3 }, Assert.Single(e.Details).Bytes.ToArray());
            OnceTests.Refused(RpcOnceRefusal.OtherCall, RpcStatus.AlreadyExists, () => OnceServiceRpc.Client(client.WithOnceId(id)).Do("b"));
            Assert.Equal(0, server.Service.Done);
        }
    }

    [Fact]
    public void ANewStoreRefusesWhatIsOlder()
    {
        var id = RpcOnceId.New();
        using var store = new FileOnceStore(Path);
        using var server = new OnceTests.OnceServer(once => once.Store = store);
        using RpcClient client = server.Connect();
        OnceTests.Refused(RpcOnceRefusal.Forgotten, RpcStatus.FailedPrecondition, () => OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
        Assert.Equal(0, server.Service.Done);
    }

    [Fact]
    public void ACallFromWhileThereWasNoServerIsExecuted()
    {
        using (var store = new FileOnceStore(Path))
            store.Load();
        var id = RpcOnceId.New();
        using var again = new FileOnceStore(Path);
        using var server = new OnceTests.OnceServer(once => once.Store = again);
        using RpcClient client = server.Connect();
        Assert.Equal(1, OnceServiceRpc.Client(client.WithOnceId(id)).Do("a"));
    }

    [Fact]
    public void TwoServersDoNotShareAStore()
    {
        using var store = new FileOnceStore(Path);
        using var server = new OnceTests.OnceServer(once => once.Store = store);
        foreach (FileOnceStore same in new[] { store, new FileOnceStore(Path) })
        {
            IpcException e = Assert.Throws<IpcException>(() => new OnceTests.OnceServer(once => once.Store = same));
            Assert.Equal(IpcStatus.InUse, e.Status);
            Assert.Contains(Path, e.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void AnotherProcessIsKeptAwayUntilItIsKilled()
    {
        string name = TestServer.NewName();
        using OtherProcess server = Peer.Start("once", name, Path, Log);
        using var store = new FileOnceStore(Path);
        Assert.Equal(IpcStatus.InUse, Assert.Throws<IpcException>(() => store.Load()).Status);
        server.Kill();
        store.Load();
        Listener.Open(name).Dispose(); // what it left behind
    }

    [Fact]
    public void AStoreThatCannotBeWrittenHasNothingExecuted()
    {
        var store = new Failing();
        using var server = new OnceTests.OnceServer(once => once.Store = store);
        using RpcClient client = server.Connect();
        IOnceService service = OnceServiceRpc.Client(client.WithOnceId(RpcOnceId.New()));
        RpcCallException e = OnceTests.Refused(RpcOnceRefusal.NotStored, RpcStatus.Internal, () => service.Do("a"));
        Assert.Contains("no room", e.Message, StringComparison.Ordinal);
        Assert.Equal(0, server.Service.Done);
        store.IsFull = false;
        Assert.Equal(1, service.Do("a"));
        store.IsFull = true;
        Assert.Equal(1, service.Do("a"));
    }

    /// <summary>A file that ends anywhere, as one does whose writer was killed: what was whole is there, and what was not is not executed again.</summary>
    [Fact]
    public void AFileThatEndsAnywhereIsReadUpToThere()
    {
        byte[][] calls = [.. Enumerable.Range(0, 3).Select(static _ => Key())];
        byte[] whole = Written(calls, out List<long> ends);
        for (int length = 0; length < whole.Length; length++)
        {
            File.WriteAllBytes(Path, whole[..length]);
            using var store = new FileOnceStore(Path);
            if (length is > 0 and < 32)
            {
                Assert.Equal(IpcStatus.WrongKind, Assert.Throws<IpcException>(() => store.Load()).Status);
                Assert.Equal(length, new FileInfo(Path).Length); // as it was
                continue;
            }

            DateTime before = DateTime.UtcNow;
            OnceStoreContents contents = store.Load();
            int records = ends.Count(end => end <= length);
            Assert.Equal((records + 1) / 2, contents.Calls.Count);
            Assert.Equal(records / 2, contents.Calls.Count(static call => !call.Value.IsEmpty));
            bool isCut = length == 0 || (length != 32 && !ends.Contains(length));
            Assert.Equal(isCut, contents.ForgottenTo >= before);
        }
    }

    /// <summary>Any byte is another one: the file is another one or has an older version, or what comes from there on is not believed, and nothing from before is executed again.</summary>
    [Fact]
    public void AByteThatIsWrongIsFound()
    {
        byte[][] calls = [.. Enumerable.Range(0, 2).Select(static _ => Key())];
        byte[] whole = Written(calls, out _);
        var random = new Random(4711);
        for (int at = 0; at < whole.Length; at++)
        {
            byte[] bytes = [.. whole];
            bytes[at] ^= (byte)random.Next(1, 256);
            File.WriteAllBytes(Path, bytes);
            using var store = new FileOnceStore(Path);
            try
            {
                DateTime before = DateTime.UtcNow;
                Assert.True(store.Load().ForgottenTo >= before, "at " + at);
            }
            catch (IpcException e)
            {
                Assert.True(at < 12 && e.Status is IpcStatus.WrongKind or IpcStatus.WrongVersion, "at " + at + ": " + e.Message);
            }
        }
    }

    /// <summary>Bytes that nobody wrote, behind a header that is right, and with checksums that are.</summary>
    [Fact]
    public void AHostileFileEndsInATypedErrorOrAStore()
    {
        var random = new Random(12345);
        for (int round = 0; round < 2000; round++)
        {
            var bytes = new List<byte>(OnceFile.Header(random.NextInt64(-10, DateTime.MaxValue.Ticks + 10)));
            for (int records = random.Next(4); records > 0; records--)
            {
                var call = new byte[random.Next(3) == 0 ? random.Next(100) : OnceKey.StoredSize];
                random.NextBytes(call);
                if (call.Length > 8 && random.Next(4) != 0)
                    call[7] = 0; // a time
                var outcome = new byte[random.Next(5)];
                random.NextBytes(outcome);
                bytes.AddRange(random.Next(4) switch
                {
                    0 => OnceFile.Begin(call),
                    1 => OnceFile.End(call, outcome),
                    2 when call.Length == OnceKey.StoredSize => OnceFile.Forget([call, call], random.NextInt64(-10, long.MaxValue)),
                    _ => [.. BitConverter.GetBytes(random.Next(3) == 0 ? int.MaxValue : random.Next(-5, 50)), .. outcome],
                });
            }

            File.WriteAllBytes(Path, [.. bytes]);
            using var store = new FileOnceStore(Path);
            var memory = new OnceMemory(new RpcOnceOptions { Store = store });
            OnceStoreContents contents = OnceFileOf(store);
            Assert.InRange(contents.Calls.Count, 0, 4);
            GC.KeepAlive(memory);
        }
    }

    [Fact]
    public void TheFileIsWrittenAnewAndKeepsWhatIsRemembered()
    {
        using (var store = new FileOnceStore(Path))
        {
            var memory = new OnceMemory(new RpcOnceOptions { Store = store, MaxOutcomes = 10 });
            for (int i = 0; i < 3000; i++)
                Execute(memory, new byte[1000]);
            Assert.InRange(store.Length, 1, 1_200_000); // 3 MB were written
            Assert.Equal(store.Length, new FileInfo(Path).Length);
        }

        using var again = new FileOnceStore(Path);
        OnceStoreContents contents = again.Load();
        Assert.Equal(10, contents.Calls.Count);
        Assert.All(contents.Calls, static call => Assert.Equal(1002, call.Value.Length));
        Assert.True(contents.ForgottenTo < DateTime.UtcNow);
    }

    /// <summary>It has answers in it: nobody else may read it, also after it was written anew, unless its owner lets them.</summary>
    [Fact]
    public void TheFileIsItsOwnersAlone()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "rights are inherited there");
        const UnixFileMode Own = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var store = new FileOnceStore(Path);
        var memory = new OnceMemory(new RpcOnceOptions { Store = store, MaxOutcomes = 10 });
        Assert.Equal(Own, File.GetUnixFileMode(Path));
        Fill(memory, store);
        Assert.Equal(Own, File.GetUnixFileMode(Path));
        File.SetUnixFileMode(Path, Own | UnixFileMode.GroupRead);
        Fill(memory, store);
        Assert.Equal(Own | UnixFileMode.GroupRead, File.GetUnixFileMode(Path));
    }

    /// <summary>On a full disk half a new file would take the room of what comes next.</summary>
    [Fact]
    public void WhatCannotBeWrittenAnewLeavesNothingBehindAndTheStoreGoesOnWhenItCan()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a file that is open cannot be deleted there");
        using var store = new FileOnceStore(Path);
        store.Load();
        File.Delete(Path);
        Directory.CreateDirectory(Path); // what the new file cannot take the place of
        byte[] call = Key();
        var answer = new byte[1 << 19];
        int failures = 0;
        for (int i = 0; i < 8; i++)
        {
            try
            {
                store.End(call, answer);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures++;
            }

            Assert.False(File.Exists(Path + ".new"));
        }

        Assert.InRange(failures, 1, 7);
        Directory.Delete(Path);
        store.End(call, answer);
        store.Dispose();
        using var again = new FileOnceStore(Path);
        Assert.Equal(answer.Length, Assert.Single(again.Load().Calls).Value.Length);
    }

    [Fact]
    public void AStoreThatNobodyUsesIsNotSaidToBeUsed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links need rights there");
        File.CreateSymbolicLink(Path + ".lock", Path + ".lock");
        using var store = new FileOnceStore(Path);
        Assert.Equal(IpcStatus.SystemError, Assert.Throws<IpcException>(() => store.Load()).Status);
    }

    private static void Fill(OnceMemory memory, FileOnceStore store)
    {
        long before;
        do
        {
            before = store.Length;
            Execute(memory, new byte[100_000]);
        }
        while (store.Length > before);
    }

    internal static OnceEntry Execute(OnceMemory memory, byte[] response)
    {
        var id = RpcOnceId.New();
        OnceEntry? entry;
        while ((entry = memory.Enter(new OnceKey(id, 1), new OnceKey(id, 1).With(OnceServiceRpc.Do, "protobuf", response), out _, out _)) is null)
            id = RpcOnceId.New(); // a clock that stands still
        Assert.True(memory.TryStart(entry, new Nobody()));
        memory.End(entry, OnceOutcome.OfResponse(response));
        return entry;
    }

    private static byte[] Key() => new OnceKey(RpcOnceId.New(), 1).With(OnceServiceRpc.Do, "protobuf", default);

    private static (RpcOnceRefusal Refusal, RpcStatus Status) Why(RpcCallException e) => (e.OnceRefusal, e.Status);

    private int Done() => File.Exists(Log) ? File.ReadAllLines(Log).Length : 0;

    private OnceStoreContents OnceFileOf(FileOnceStore store)
    {
        store.Dispose();
        using var again = new FileOnceStore(Path);
        return again.Load();
    }

    /// <summary>The bytes of a file in which calls began and ended, and where its records end.</summary>
    private byte[] Written(byte[][] calls, out List<long> ends)
    {
        ends = [];
        using (var store = new FileOnceStore(Path))
        {
            store.Load();
            foreach (byte[] call in calls)
            {
                store.Begin(call);
                ends.Add(store.Length);
                store.End(call, new byte[] { 0, 0, 1, 2, 3 });
                ends.Add(store.Length);
            }
        }

        return File.ReadAllBytes(Path);
    }

    private sealed class Nobody : IOnceCall
    {
        public void Cancel()
        {
        }

        public void Answer(OnceOutcome outcome)
        {
        }
    }

    private sealed class Failing : IOnceStore
    {
        public bool IsFull { get; set; } = true;

        public OnceStoreContents Load() => new(default, []);

        public void Begin(ReadOnlyMemory<byte> call) => Fail();

        public void End(ReadOnlyMemory<byte> call, ReadOnlyMemory<byte> outcome) => Fail();

        public void Forget(IReadOnlyList<ReadOnlyMemory<byte>> calls, DateTime forgottenTo) => Fail();

        private void Fail()
        {
            if (IsFull)
                throw new IOException("no room");
        }
    }
}
