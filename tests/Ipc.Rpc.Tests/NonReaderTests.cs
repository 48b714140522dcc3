using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>A peer that sends and does not read: nobody else waits for it, and it does not fill this process.</summary>
public sealed class NonReaderTests
{
    private const int ToClient = 4096; // some 80 errors
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);
    private static readonly RpcMethod<int, byte[]> _blob = new(Hand.Name, "Blob", RpcMethodKind.Unary, Hand.Number, TestServiceRpc.Blob.Response);

    /// <summary>Every kind of frame that a server sends: whatever is sent to the one, the other is served.</summary>
    [Theory]
    [InlineData("responses")]
    [InlineData("asynchronous responses")]
    [InlineData("errors of handlers")]
    [InlineData("errors of unknown methods")]
    [InlineData("errors of passed deadlines")]
    [InlineData("errors of requests that are none")]
    [InlineData("errors of another kind")]
    [InlineData("errors of too many calls")]
    [InlineData("errors of cancelled calls")]
    [InlineData("items")]
    [InlineData("ends")]
    [InlineData("credit")]
    [InlineData("progress")]
    [InlineData("callbacks")]
    [InlineData("pongs")]
    public async Task NobodyWaitsForOneThatDoesNotRead(string frames)
    {
        using RpcServer server = Serve(out string name, new RpcServerOptions { MaxPendingCalls = frames == "errors of too many calls" ? 1 : 65536 });
        using RpcClient other = RpcClient.Connect(name);
        using var silent = new RawClient(name, ToClient);
        int sent = 0;
        for (uint call = 1; call <= 1200 && TrySend(silent, frames, call); call++)
        {
            sent++;
            if (call % 100 == 0)
                Assert.Equal(5, other.WithTimeout(_patience).Call(Hand.Ask, 5));
        }

        for (int i = 0; i < 200; i++)
            Assert.Equal(i, other.WithTimeout(_patience).Call(Hand.Ask, i));
        for (int i = 0; i < 50; i++)
            Assert.Equal(i, await other.WithTimeout(_patience).CallAsync(Hand.Other, i));
        Assert.True(sent > 100);
        server.Dispose();
        Assert.True(server.Completion.IsCompletedSuccessfully);
    }

    /// <summary>Its answers wait in memory until it reads.</summary>
    [Fact]
    public void WithinTheBoundAllAnswersWaitForTheirClient()
    {
        using var gate = new Gate();
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(_blob, async size =>
            {
                await gate.Task;
                return new byte[size];
            }),
            RpcHandler.Unary(Hand.Ask, static number => number));
        using var late = new RawClient(name, ToClient);
        for (uint call = 1; call <= 300; call++)
            late.Send(Hand.Request(_blob, call), Hand.Bytes(1000));
        late.Send(Hand.Request(Hand.Ask, 301), Hand.Bytes(1));
        Assert.Equal(301UL, late.Receive().Call);
        gate.Open();
        for (int i = 0; i < 300; i++)
            Assert.Equal(FrameKind.Response, late.Receive().Kind);
    }

    /// <summary>And there is an end to that. The client must not read before it is cut off: that would make room.</summary>
    [Fact]
    public async Task AServerKeepsSoMuchAndNoMoreForAClientThatDoesNotRead()
    {
        const int Calls = 300;
        using var gate = new Gate();
        int begun = 0;
        using RpcServer server = Hand.Serve(
            out string name,
            new RpcServerOptions { MaxUnsentBytes = 100_000 },
            RpcHandler.UnaryAsync(_blob, async size =>
            {
                Interlocked.Increment(ref begun);
                await gate.Task;
                return new byte[size];
            }),
            RpcHandler.UnaryAsync(Hand.Ask, static number => new ValueTask<int>(number)));
        using var late = new RawClient(name, ToClient);
        for (uint call = 1; call <= Calls; call++)
            late.Send(Hand.Request(_blob, call), Hand.Bytes(1000));
        Eventually.True(() => Volatile.Read(ref begun) == Calls, "all of them have begun");
        gate.Open();
        Eventually.True(() => late.Connection.PeerCloseCode == CloseCode.Protocol, "the server cuts it off");
        Assert.Contains("MaxUnsentBytes", late.Connection.PeerCloseText, StringComparison.Ordinal);
        late.WaitUntilClosed();
        Eventually.True(() => server.ConnectionCount == 0, "nothing of it is left");
        using RpcClient other = RpcClient.Connect(name);
        Assert.Equal(5, await Eventually.Ends(other.CallAsync(Hand.Ask, 5).AsTask()));
    }

    /// <summary>Each refusal of a callback was kept for as long as the server did not read, and it could call for ever.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AClientKeepsSoMuchAndNoMoreForAServerThatDoesNotRead(bool offers)
    {
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        var options = new RpcClientOptions { AutoReconnect = false, MaxUnsentBytes = 100_000, ToServerCapacity = 4096 };
        if (offers)
            options.Services.Add(Hand.Service(RpcHandler.Unary(Hand.Ask, static number => number)));
        using RpcClient client = RpcClient.Connect(server.Name, options);
        await Eventually.Ends(accepting);
        Task<int> pending = client.CallAsync(Hand.Other, 1).AsTask();
        byte[] request = Frame(new FrameHeader(FrameKind.Request, 1, method: offers ? Hand.Ask.Id : 12345, flags: FrameFlags.Callback), Hand.Bytes(1));
        for (uint call = 1; call < 50_000 && !pending.IsCompleted; call++)
        {
            new FrameHeader(FrameKind.Request, call, method: offers ? Hand.Ask.Id : 12345, flags: FrameFlags.Callback).WriteTo(request);
            Eventually.True(() => pending.IsCompleted || server.Connection.Writer.TryWrite(request, FrameHeader.RecordType), "the client reads");
        }

        RpcCallException e = await Eventually.Fails(pending);
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        Assert.Contains("does not read", e.Message, StringComparison.Ordinal);
        Assert.False(client.IsConnected);
    }

    /// <summary>One cancellation for each request, however often and in whatever way it is cancelled, and one report of what was read.</summary>
    [Fact]
    public async Task WhatAClientOwesBesidesIsBoundedByWhatItHasSent()
    {
        const int Calls = 20, Window = 16, Behind = 200;
        using var server = new RawServer();
        Task accepting = server.AcceptAside();
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { ToServerCapacity = 4096, StreamWindow = Window });
        await Eventually.Ends(accepting);
        using var stop = new CancellationTokenSource();
        Task<int>[] calls = Enumerable.Range(0, Calls).Select(number => client.WithTimeout(Eventually.Watchdog).CallAsync(Hand.Other, number, stop.Token).AsTask()).ToArray();
        var asked = new List<ulong>();
        for (int i = 0; i < Calls; i++)
            asked.Add(server.Receive().Call);
        await using IAsyncEnumerator<int> items = client.Stream(Hand.Items, 1).GetAsyncEnumerator();
        ValueTask<bool> next = items.MoveNextAsync();
        ulong stream = server.Receive().Call;

        Task<int>[] behind = Enumerable.Range(0, Behind).Select(number => client.CallAsync(Hand.Other, number).AsTask()).ToArray(); // more than the ring holds
        for (int i = 0; i < Window; i++)
        {
            server.Send(new FrameHeader(FrameKind.Item, stream), Hand.Bytes(i));
            Assert.True(await Eventually.Ends(next.AsTask()));
            next = items.MoveNextAsync();
        }

        stop.Cancel();
        stop.Cancel();
        foreach (Task<int> call in calls)
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(call));

        var cancelled = new List<ulong>();
        int credit = 0, reports = 0;
        for (int requests = 0; requests < Behind || cancelled.Count < Calls || credit < Window;)
        {
            FrameHeader header = server.Receive();
            switch (header.Kind)
            {
                case FrameKind.Request:
                    requests++;
                    break;
                case FrameKind.Cancel:
                    cancelled.Add(header.Call);
                    break;
                default:
                    Assert.Equal((FrameKind.Credit, stream), (header.Kind, header.Call));
                    credit += (int)header.Credit.Items;
                    reports++;
                    break;
            }
        }

        await Task.Delay(50);
        Assert.False(server.HasFrame, "more than it owes");
        Assert.Equal(asked.Order(), cancelled.Order());
        Assert.Equal(Window, credit);
        Assert.InRange(reports, 1, 2);
        Assert.All(behind, static call => Assert.False(call.IsCompleted));
    }

    private static RpcServer Serve(out string name, RpcServerOptions options) => Hand.Serve(
        out name, options,
        RpcHandler.Unary(Hand.Ask, static number => number >= 0 ? number : throw new FormatException("negative")),
        RpcHandler.UnaryAsync(Hand.Other, static async (number, cancel) =>
        {
            await Task.Yield();
            if (number < 0)
                await Task.Delay(Timeout.Infinite, cancel);
            return number;
        }),
        RpcHandler.Unary(Hand.Third, static (number, cancel) =>
        {
            RpcContext.Current!.Caller.Notify(Hand.Tell, number);
            return number;
        }),
        RpcHandler.ServerStream(Hand.Items, static (number, _) => Items(number)),
        RpcHandler.ClientStream(Hand.Sum, static async (number, items, _) =>
        {
            await foreach (int item in items)
                number += item;
            return number;
        }),
        RpcHandler.UnaryProgress(Hand.Work, static async (number, progress, _) =>
        {
            for (int i = 0; i < 10; i++)
                progress.Report(i);
            await Task.Yield();
            return number;
        }));

    private static async IAsyncEnumerable<int> Items(int count)
    {
        await Task.Yield();
        for (int i = 0; i < count; i++)
            yield return i;
    }

    /// <summary>One more piece of work; <see langword="false"/> when the server does not read on either, as it should.</summary>
    private static bool TrySend(RawClient client, string frames, uint call)
    {
        byte[] one = Hand.Bytes(1), minus = Hand.Bytes(-1);
        switch (frames)
        {
            case "responses":
                return Try(client, Hand.Request(Hand.Ask, call), one);
            case "asynchronous responses":
                return Try(client, Hand.Request(Hand.Other, call), one);
            case "errors of handlers":
                return Try(client, Hand.Request(Hand.Ask, call), minus);
            case "errors of unknown methods":
                return Try(client, new FrameHeader(FrameKind.Request, call, method: 1000 + call), one);
            case "errors of passed deadlines":
                return Try(client, Hand.Request(Hand.Ask, call, deadline: 1), one);
            case "errors of requests that are none":
                return Try(client, Hand.Request(Hand.Ask, call), [0xff]);
            case "errors of another kind":
                return Try(client, new FrameHeader(FrameKind.Request, call, method: Hand.Items.Id), one);
            case "errors of too many calls":
                return Try(client, Hand.Request(Hand.Other, call), minus);
            case "errors of cancelled calls":
                return Try(client, Hand.Request(Hand.Other, call), minus) && Try(client, new FrameHeader(FrameKind.Cancel, call), []);
            case "items":
                return Try(client, Hand.Request(Hand.Items, call, credit: 1000), Hand.Bytes(1000));
            case "ends":
                return Try(client, Hand.Request(Hand.Items, call, credit: 1), Hand.Bytes(0));
            case "credit":
                return Try(client, Hand.Request(Hand.Sum, call), one);
            case "progress":
                return Try(client, Hand.Request(Hand.Work, call), one);
            case "callbacks":
                return Try(client, Hand.Request(Hand.Third, call), one);
            default:
                return Try(client, new FrameHeader(FrameKind.Ping, call), new byte[64]);
        }
    }

    private static bool Try(RawClient client, FrameHeader header, byte[] body)
    {
        byte[] frame = Frame(header, body);
        for (int i = 0; i < 200; i++) // the server may only be slow
        {
            if (client.Connection.Writer.TryWrite(frame, FrameHeader.RecordType))
                return true;
            Thread.Sleep(1);
        }

        return false;
    }

    private static byte[] Frame(FrameHeader header, byte[] body)
    {
        var frame = new byte[FrameHeader.Size + body.Length];
        header.WriteTo(frame);
        body.CopyTo(frame, FrameHeader.Size);
        return frame;
    }

    private sealed class Gate : IDisposable
    {
        private readonly TaskCompletionSource<bool> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Task => _opened.Task;

        public void Open() => _opened.TrySetResult(true);

        public void Dispose() => Open();
    }
}
