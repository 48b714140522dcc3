using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Interop.Tests.Shapes;
using Ipc.Rpc.Peer;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>kill -9 of a server of either language, at random, with calls of every shape under way: each of them ends, with a typed error, and the next server
/// is found.</summary>
public sealed class ServerDeathTests
{
    private static readonly bool _long = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1";

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public async Task EveryPendingCallEnds(Language language)
    {
        string name = Repository.NewName();
        var options = new RpcClientOptions();
        var back = new ManagedBack();
        options.Services.Add(TestsBackRpc.Service(back));
        OtherProcess server = Peer.Server(language, name);
        try
        {
            using RpcClient client = RpcClient.Connect(name, options);
            ITests tests = TestsRpc.Client(client);
            var random = new Mutator(4711, []);
            for (int round = 0; round < (_long ? 100 : 6); round++)
            {
                var flowing = new Flow();
                (string Shape, Task Call, bool IsSent)[] calls = Begin(tests, flowing);
                await tests.EchoAsync(new Blob()).InTime(); // it was sent behind those that were begun here
                int until = flowing.Items + 200 + random.Next(3000);
                Deadline patience = Deadline.After(Repository.Watchdog);
                while (flowing.Items < until && !patience.HasPassed)
                    await Task.Yield();
                Assert.True(flowing.Items >= until, "nothing flows: " + string.Join(", ", calls.Where(static c => c.Call.IsCompleted).Select(static c => c.Shape + " " + c.Call.Exception?.InnerException?.Message)));
                server.Kill();
                flowing.Killed.SetResult();
                foreach ((string shape, Task call, bool isSent) in calls)
                {
                    RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => call.InTime());
                    Assert.True(failure.Status == RpcStatus.Unavailable, $"{shape} ended with {failure.Status}: {failure.Message}");
                    if (isSent)
                        Assert.False(failure.IsUnsent, $"{shape}: a killed server has not said what it has handled");
                }

                Deadline feeding = Deadline.After(Repository.Watchdog);
                while (back.FeedsEnded < back.FeedsBegun && !feeding.HasPassed)
                    await Task.Yield();
                Assert.Equal(back.FeedsBegun, back.FeedsEnded); // what the server was calling has ended here
                server.Dispose();
                server = Peer.Server(language, name);
                Assert.Equal([4, 7], (await tests.EchoAsync(new Blob { Data = [4, 7] }).InTime()).Data);
            }
        }
        finally
        {
            server.Dispose();
        }
    }

    /// <summary>Those on another thread may be between two calls, or before their first, when the server is killed.</summary>
    private static (string Shape, Task Call, bool IsSent)[] Begin(ITests tests, Flow flow)
    {
        var endless = new CountRequest { Count = int.MaxValue, Size = 20 };
        return
        [
            ("a synchronous call", Task.Run(() => Block(tests)), IsSent: false),
            ("an asynchronous call", tests.SleepAsync(new SleepRequest { Ms = 600_000 }), IsSent: true),
            ("a server stream", Task.Run(() => Read(tests.Count(endless), flow)), IsSent: false),
            ("a stream that is not read any more", Task.Run(() => Read(tests.Count(endless), flow, flow.Killed.Task)), IsSent: false),
            ("a client stream", tests.CollectAsync(new CountRequest(), Calls.Items(int.MaxValue, 20, _ => flow.Count())), IsSent: true),
            ("a duplex stream", Task.Run(() => Read(tests.Mirror(new CountRequest(), Calls.Items(int.MaxValue, 20)), flow)), IsSent: false),
            ("progress", tests.StepsAsync(new CountRequest { Count = int.MaxValue }, flow), IsSent: true),
            ("a stream of callbacks", tests.PullAsync(endless), IsSent: true),
            ("callbacks", tests.RelayAsync(endless), IsSent: true),
        ];
    }

    private static void Block(ITests tests)
    {
        while (true)
            tests.Echo(new Blob { Data = Pattern.Of(1, 3000) });
    }

    private static async Task Read(IAsyncEnumerable<Blob> stream, Flow flow, Task? waitFor = null)
    {
        await using IAsyncEnumerator<Blob> items = stream.GetAsyncEnumerator();
        while (await items.MoveNextAsync())
        {
            flow.Count();
            if (waitFor is not null)
                await waitFor; // its producer waits for credit meanwhile
        }
    }

    /// <summary>What has come so far, on all streams of a round.</summary>
    private sealed class Flow : IProgress<Blob>
    {
        private int _items;

        public TaskCompletionSource Killed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Items => Volatile.Read(ref _items);

        public void Count() => Interlocked.Increment(ref _items);

        public void Report(Blob value) => Count();
    }
}
