using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>The row "somebody removes, replaces or overwrites the listener's file" of docs/guide/ending.md: server and clients go on, in every state that a call can be in.</summary>
public sealed class BrokenListenerTests : IDisposable
{
    private const int Answers = 400; // more than a ring of 4 KiB takes
    private static readonly RpcMethod<int, int> _back = new("hand.back.v1", "Back", RpcMethodKind.Unary, Hand.Number, Hand.Number);

    private readonly ManualResetEventSlim _go = new();
    private readonly SemaphoreSlim _begun = new(0);
    private readonly List<IDisposable> _owned = [];
    private readonly string _name = TestServer.NewName();

    private string ListenersFile => Path.Combine(Environment.GetEnvironmentVariable("IPC_DIR")!, _name);

    public void Dispose()
    {
        _go.Set();
        foreach (IDisposable each in Enumerable.Reverse(_owned))
            each.Dispose();
        _go.Dispose();
        _begun.Dispose();
    }

    [Theory]
    [InlineData("removed")]
    [InlineData("replaced")]
    [InlineData("overwritten")]
    public async Task WhatRunsOrWaitsGoesOn(string how)
    {
        RpcServer server = Serve(new RpcServerOptions { MaxConcurrentCalls = 4 });
        RpcClient client = Own(Connect());
        Task<int> unary = client.CallAsync(Hand.Ask, 1).AsTask();
        Task<int> callback = client.CallAsync(Hand.Third, 2).AsTask();
        await using IAsyncEnumerator<int> withoutCredit = client.Stream(Hand.Items, 3, CancellationToken.None).GetAsyncEnumerator(CancellationToken.None);
        Assert.True(await Eventually.Ends(withoutCredit.MoveNextAsync().AsTask()));
        Task<int> withoutItem = client.ClientStream(Hand.Sum, 4, WhenGo(), CancellationToken.None).AsTask();
        Task<int> duplex = SumOf(client.Duplex(Hand.Scale, 5, WhenGo(), CancellationToken.None));
        for (int i = 0; i < 5; i++)
            Assert.True(await _begun.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
        Task<int> waitsForItsTurn = client.CallAsync(Hand.Other, 6).AsTask();

        Break(how);
        Assert.Equal(how == "overwritten", server.IsFindable);
        Assert.All(new Task[] { unary, callback, withoutItem, duplex, waitsForItsTurn }, static call => Assert.False(call.IsCompleted));
        _go.Set();
        Assert.Equal(1, await Eventually.Ends(unary));
        Assert.Equal(2, await Eventually.Ends(callback));
        Assert.Equal(4, await Eventually.Ends(withoutItem));
        Assert.Equal(7, await Eventually.Ends(duplex));
        int items = 1;
        while (await Eventually.Ends(withoutCredit.MoveNextAsync().AsTask()))
            items++;
        Assert.Equal(1000, items);
        Assert.Equal(6, await Eventually.Ends(waitsForItsTurn));
        Assert.Equal(7, client.Call(Hand.Other, 7));
        await NewcomersLearnIt(how);
        await Ends(server, client, how);
    }

    [Theory]
    [InlineData("removed")]
    [InlineData("replaced")]
    [InlineData("overwritten")]
    public async Task AnInlineHandlerAndAnswersThatWaitForRoomGoOn(string how)
    {
        RpcServer server = Serve(null);
        RpcClient client = Own(Connect());
        var silent = new RawClient(_name, toClientCapacity: 4096);
        for (uint call = 1; call <= Answers; call++)
            silent.Send(Hand.Request(Hand.Other, call), Hand.Bytes(7));
        Eventually.True(() => client.Call(Hand.Other, 1) == 1, "the server goes on");
        Task<int> inline = client.CallAsync(Hand.Quick, 8).AsTask();
        Assert.True(await _begun.WaitAsync(Eventually.Watchdog, TestContext.Current.CancellationToken));
        Break(how);
        _go.Set();
        Assert.Equal(8, await Eventually.Ends(inline));
        Assert.Equal( // in whatever order: a handler that is stopped in its middle is overtaken
            Enumerable.Range(1, Answers),
            Enumerable.Range(1, Answers).Select(_ => (int)silent.Receive().Call).Order());
        silent.Dispose();
        Eventually.True(() => server.ConnectionCount == 1, "the end of a client is noticed");
        await Ends(server, client, how);
    }

    private static async Task<int> SumOf(IAsyncEnumerable<int> items)
    {
        int sum = 0;
        await foreach (int item in items.ConfigureAwait(false))
            sum += item;
        return sum;
    }

    private T Own<T>(T mine)
        where T : IDisposable
    {
        _owned.Add(mine);
        return mine;
    }

    private RpcServer Serve(RpcServerOptions? options) => Own(RpcServer.Start(_name, options, Hand.Service(
        RpcHandler.Unary(Hand.Ask, number =>
        {
            _begun.Release();
            _go.Wait(CancellationToken.None);
            return number;
        }),
        RpcHandler.Unary(Hand.Other, static number => number),
        RpcHandler.Unary(Hand.Third, static number => RpcContext.Current!.Caller.Call(_back, number)),
        RpcHandler.Unary(Hand.Quick, number =>
        {
            _begun.Release();
            _go.Wait(CancellationToken.None);
            return number;
        }).Inline(),
        RpcHandler.ServerStream(Hand.Items, (_, _) =>
        {
            _begun.Release();
            return new Source(1000);
        }),
        RpcHandler.ClientStream(Hand.Sum, async (number, items, _) =>
        {
            _begun.Release();
            Assert.Equal(7, await SumOf(items));
            return number;
        }),
        RpcHandler.Duplex(Hand.Scale, (_, items, _) =>
        {
            _begun.Release();
            return items;
        }))));

    private RpcClient Connect()
    {
        var options = new RpcClientOptions { StreamWindow = 1 };
        options.Services.Add(new RpcService("hand.back.v1", [RpcHandler.Unary(_back, number =>
        {
            _begun.Release();
            _go.Wait(CancellationToken.None);
            return number;
        })]));
        return RpcClient.Connect(_name, options);
    }

    private async IAsyncEnumerable<int> WhenGo()
    {
        await Task.Run(() => _go.Wait(CancellationToken.None));
        yield return 3;
        yield return 4;
    }

    private void Break(string how)
    {
        if (how != "overwritten")
        {
            File.Delete(ListenersFile);
            if (how == "replaced")
                Own(RpcServer.Start(_name, Hand.Service(RpcHandler.Unary(Hand.Other, static number => -number))));
            return;
        }

        using var file = new FileStream(ListenersFile, FileMode.Open, FileAccess.ReadWrite);
        var header = new byte[48];
        file.ReadExactly(header);
        long body = (long)BinaryPrimitives.ReadUInt64LittleEndian(header.AsSpan(32));
        var word = new byte[8];
        void Write(long at, ulong value)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(word, value);
            file.Position = at;
            file.Write(word);
            file.Flush();
        }

        Write(0, ulong.MaxValue); // the magic
        foreach (long at in new long[] { 16, 24, 32, 40, 128 }) // sizes, offsets, the state
            Write(at, 2);
        foreach (long at in new long[] { 0, 8, 16, 24, 128 }) // the same of the listener
            Write(body + at, ulong.MaxValue);
    }

    private async Task NewcomersLearnIt(string how)
    {
        var options = new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(200) };
        if (how == "replaced")
        {
            using RpcClient other = RpcClient.Connect(_name);
            Assert.Equal(-9, other.Call(Hand.Other, 9));
            return;
        }

        RpcCallException e = await Eventually.Fails(RpcClient.ConnectAsync(_name, options));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
    }

    /// <summary>The server ends as ever, and leaves alone what is not its own.</summary>
    private async Task Ends(RpcServer server, RpcClient client, string how)
    {
        await Eventually.Ends(server.StopAsync());
        Assert.True(server.Completion.IsCompletedSuccessfully);
        Eventually.True(() => !client.IsConnected || how == "replaced", "the client knows");
        if (how == "replaced")
            Assert.Equal(-10, await Reconnected(client));
        File.Delete(ListenersFile);
    }

    private static async Task<int> Reconnected(RpcClient client)
    {
        while (true)
        {
            try
            {
                return await client.CallAsync(Hand.Other, 10);
            }
            catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable)
            {
                await Task.Yield();
            }
        }
    }
}
