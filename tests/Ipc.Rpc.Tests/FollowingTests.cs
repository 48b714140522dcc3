using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Calls that go on to the next server, perhaps again and again: how long, how often, and with how many connections.</summary>
public sealed class FollowingTests
{
    /// <summary>Pauses of 5, 10, 20, 40, 80 and then 100 ms leave room for no more within half a second, nor for more than these within a second and a half.</summary>
    private const int MostInHalfASecond = 12;
    private const int MostInThreeHalves = 24;

    /// <summary>A call without a deadline never ended, and connected as often as the machine could: each refusal gave it the time to connect anew.</summary>
    [Fact]
    public async Task ACallThatEveryServerRefusesEndsWhenTheTimeToConnectIsOver()
    {
        using var server = new Refuser();
        var options = new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(500) };
        using RpcClient client = RpcClient.Create(server.Name, options);
        RpcCallException failure = await Eventually.Fails(Task.Run(() => client.Call(Hand.Ask, 20)));
        Assert.Equal(RpcStatus.Unavailable, failure.Status);
        Assert.True(failure.IsUnsent);
        Assert.InRange(server.Connections, 2, MostInHalfASecond);
    }

    /// <summary>One that waits for its server does so until its deadline, with pauses, too.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task OneThatWaitsForItsServerPausesUntilItsDeadline(bool isAsync)
    {
        using var server = new Refuser();
        var options = new RpcClientOptions { WaitForReady = true, CallTimeout = TimeSpan.FromMilliseconds(1500), ConnectTimeout = Eventually.Watchdog };
        using RpcClient client = RpcClient.Create(server.Name, options);
        RpcCallException failure = await Eventually.Fails(isAsync ? client.CallAsync(Hand.Ask, 20).AsTask() : Task.Run(() => client.Call(Hand.Ask, 20)));
        Assert.Equal(RpcStatus.DeadlineExceeded, failure.Status);
        Assert.InRange(server.Connections, 2, MostInThreeHalves);
    }

    /// <summary>Each of them connected for itself.</summary>
    [Fact]
    public async Task AThousandCallsThatAreMadeAgainMakeOneConnection()
    {
        const int Calls = 1000;
        using var old = new RawServer();
        Task accepted = old.AcceptAside();
        var options = new RpcClientOptions { WaitForReady = true };
        using RpcClient client = await RpcClient.ConnectAsync(old.Name, options, TestContext.Current.CancellationToken);
        await Eventually.Ends(accepted);
        Task<int>[] calls = [.. Enumerable.Range(0, Calls).Select(number => client.CallAsync(Hand.Ask, number).AsTask())];
        old.End(handledTo: 0);
        int asked = 0;
        var next = new RpcServerOptions
        {
            Accept = _ =>
            {
                Interlocked.Increment(ref asked);
                return null;
            },
        };
        using RpcServer server = RpcServer.Start(old.Name, next, Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number + 1)));
        Assert.Equal(Enumerable.Range(1, Calls), await Eventually.Ends(Task.WhenAll(calls)));
        Assert.Equal(1, Volatile.Read(ref asked));
    }

    /// <summary>They were accepted, and then there was no server: when one came, those that found its ring full were more than may be queued, and failed.</summary>
    [Fact]
    public async Task CallsThatAreMadeAgainMayBeMoreThanMayBeQueued()
    {
        const int Calls = 300;
        using var old = new RawServer();
        Task accepted = old.AcceptAside();
        var options = new RpcClientOptions { WaitForReady = true, ToServerCapacity = 4096, MaxQueuedBytes = 1000 };
        using RpcClient client = await RpcClient.ConnectAsync(old.Name, options, TestContext.Current.CancellationToken);
        await Eventually.Ends(accepted);
        old.End(handledTo: 0);
        int attempts = 0;
        client.Session.Attempted = () => Interlocked.Increment(ref attempts);
        var calls = new List<Task<int>>();
        for (int number = 0; number < Calls; number++)
        {
            int before = Volatile.Read(ref attempts);
            calls.Add(client.CallAsync(Hand.Ask, number).AsTask());
            Eventually.True(() => Volatile.Read(ref attempts) != before, "it is found that there is no server");
        }

        using var next = new RawServer(old.Name);
        await Eventually.Ends(next.AcceptAside());
        Eventually.True(
            () => client.Session.Channel!.Engine.CountPending() == Calls || calls.Exists(static call => call.IsCompleted), "all of them wait, or one has failed");
        for (int answers = 0; answers < Calls && !calls.Exists(static call => call.IsFaulted); answers++)
        {
            FrameHeader request = next.Receive(out byte[] body);
            next.Send(new FrameHeader(FrameKind.Response, request.Call), body);
        }

        Assert.Equal(Enumerable.Range(0, Calls), await Eventually.Ends(Task.WhenAll(calls)));
    }

    /// <summary>Takes every client, and says of every request that it was not handled.</summary>
    private sealed class Refuser : IDisposable
    {
        private readonly Listener _listener;
        private readonly List<Connection> _connections = [];
        private readonly Thread _thread;
        private int _count;
        private bool _over;

        public Refuser()
        {
            _listener = Listener.Open(Name);
            _thread = new Thread(Serve) { IsBackground = true };
            _thread.Start();
        }

        public string Name { get; } = TestServer.NewName();

        public int Connections => Volatile.Read(ref _count);

        public void Dispose()
        {
            Volatile.Write(ref _over, true);
            _thread.Join();
            _connections.ForEach(static connection => connection.Dispose());
            _listener.Dispose();
        }

        private void Serve()
        {
            while (!Volatile.Read(ref _over))
            {
                if (_listener.Next(out ListenerEvent next, Deadline.After(TimeSpan.FromMilliseconds(1))) == IpcStatus.Ok && next.Kind == ListenerEventKind.Connect)
                {
                    next.Connection.Accept();
                    _connections.Add(next.Connection);
                    Interlocked.Increment(ref _count);
                }

                foreach (Connection connection in _connections)
                    Refuse(connection);
            }
        }

        private static void Refuse(Connection connection)
        {
            while (connection.IsOpen && connection.Reader.TryRead(out RingRecord record))
            {
                Assert.Null(FrameHeader.TryRead(record.Type, record.Payload, fromClient: true, out FrameHeader request));
                connection.Reader.Release();
                if (request.Kind != FrameKind.Request)
                    continue;
                var frame = new byte[FrameHeader.Size];
                new FrameHeader(FrameKind.Error, request.Call, (ushort)RpcStatus.Unavailable, FrameHeader.Unhandled).WriteTo(frame);
                connection.Writer.TryWrite(frame, FrameHeader.RecordType);
            }
        }
    }
}
