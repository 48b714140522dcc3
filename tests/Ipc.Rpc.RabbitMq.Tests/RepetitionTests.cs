using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What comes again within the window is not handled again, and is answered all the same.</summary>
public sealed class RepetitionTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly ConcurrentQueue<Farm.Handled> _all = new();

    /// <summary>The server's connection goes while the handler runs; or when it is done, before its answer has gone.</summary>
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 2)]
    public async Task AHandlerIsNotRepeatedForALostConnection(bool isRemembered, int times)
    {
        using BadNetwork network = new(Broker.EndPoint);
        TaskCompletionSource go = new(TaskCreationOptions.RunContinuationsAsynchronously);
        ServerOptions.RepetitionWindow = isRemembered ? TimeSpan.FromMinutes(1) : TimeSpan.Zero;
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all, After = (_, _) => go.Task }), ServerOptions, AddressAt(network.Port));
        RabbitMqClient client = await ConnectAsync();
        IFarm farm = client.For<IFarm>();
        Task<string> call = farm.DoAsync(1, Cancel).AsTask();
        Task note = farm.NoteAsync(2, Cancel);
        Watchdog.Until(() => _all.Count == 2, "both to be in hand");
        network.Cut();
        Watchdog.Until(() => isRemembered ? server.Repetitions == 2 : _all.Count == 4, "both to come again");
        go.SetResult();
        Assert.Equal("one", await call.WaitAsync(Patience, Cancel));
        await note.WaitAsync(Patience, Cancel);
        Watchdog.Until(() => server.RequestsInHand == 0, "both to be done with");
        Assert.Equal([(1, times), (2, times)], _all.GroupBy(static one => one.Number).OrderBy(static group => group.Key).Select(static group => (group.Key, group.Count())));
        Assert.Equal(0, server.DeadLetters);
    }

    /// <summary>Under load, cut again and again: each number once, in spite of the marks.</summary>
    [Fact]
    public async Task NothingIsHandledTwiceHoweverOftenTheConnectionGoes()
    {
        using BadNetwork network = new(Broker.EndPoint);
        ServerOptions.RepetitionWindow = TimeSpan.FromMinutes(1);
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all, Before = static cancel => Task.Delay(2, cancel) }), ServerOptions, AddressAt(network.Port));
        ClientOptions.WaitForReady = true;
        ClientOptions.Retry = new RpcRetryPolicy { Attempts = 1000, FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(200) };
        IFarm farm = (await ConnectAsync()).For<IFarm>();
        using CancellationTokenSource over = new();
        int number = 0;
        Task[] callers = [.. Enumerable.Range(0, 8).Select(i => Task.Run(async () =>
        {
            while (!over.IsCancellationRequested)
            {
                int mine = Interlocked.Increment(ref number);
                if (i % 2 == 0)
                    await farm.DoAgainAsync(mine, Cancel);
                else
                    await farm.NoteAsync(mine, Cancel);
            }
        }))];
        for (int cut = 0; cut < 10; cut++)
        {
            int before = _all.Count;
            Watchdog.Until(() => _all.Count > before + 100 || Array.Exists(callers, static caller => caller.IsFaulted), "traffic");
            network.Cut();
        }

        over.Cancel();
        await Task.WhenAll(callers).WaitAsync(Patience, Cancel);
        Watchdog.Until(() => _all.Select(static one => one.Number).Distinct().Count() == number, "all to be handled");
        Assert.Equal(number, _all.Count);
    }

    [Fact]
    public async Task WhatFailedIsHandledAgain()
    {
        ServerOptions.RepetitionWindow = TimeSpan.FromMinutes(1);
        int calls = 0;
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one") { Before = _ => Interlocked.Increment(ref calls) == 1 ? throw new RpcCallException(RpcStatus.Unavailable, "not now") : Task.CompletedTask }), ServerOptions);
        ClientOptions.Retry = new RpcRetryPolicy { Attempts = 3 };
        Assert.Equal("one", await (await ConnectAsync()).For<IFarm>().DoAgainAsync(1, Cancel));
        Assert.Equal((2, 0L), (calls, server.Repetitions));
    }

    /// <summary>Also when its request has come again since, on another connection.</summary>
    [Fact]
    public async Task ACancellationReachesTheHandlerAfterALostConnection()
    {
        using BadNetwork network = new(Broker.EndPoint);
        ServerOptions.RepetitionWindow = TimeSpan.FromMinutes(1);
        int cancelled = 0;
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one")
        {
            All = _all,
            After = async (_, cancel) =>
            {
                try
                {
                    await Task.Delay(Timeout.Infinite, cancel);
                }
                finally
                {
                    Interlocked.Increment(ref cancelled);
                }
            },
        }), ServerOptions, AddressAt(network.Port));
        using CancellationTokenSource source = new();
        Task<string> call = (await ConnectAsync()).For<IFarm>().DoAsync(1, source.Token).AsTask();
        Watchdog.Until(() => _all.Count == 1, "it to be in hand");
        network.Cut();
        Watchdog.Until(() => server.Repetitions == 1, "it to come again");
        source.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call.WaitAsync(Patience, Cancel));
        Watchdog.Until(() => cancelled == 1 && server.RequestsInHand == 0, "the handler to be told");
    }

    /// <summary>Others number their messages as they like.</summary>
    [Theory]
    [InlineData(16L << 20, 4, 1)] // the same twice, another body, another method, another user
    [InlineData(0L, 4, 0)]
    public async Task OnlyTheSameRequestIsTheSame(long bytes, int handled, int repeated)
    {
        ServerOptions.RepetitionWindow = TimeSpan.FromMinutes(1);
        ServerOptions.MaxRepetitionBytes = bytes;
        RabbitMqServer server = await ServeAsync(FarmRpc.Service(new Farm("one") { All = _all }), ServerOptions);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        int sent = 0;
        foreach ((string method, byte number) in new[] { ("Note", (byte)1), ("Note", (byte)1), ("Note", (byte)2), ("Do", (byte)1), ("Note", (byte)1) })
        {
            if (bytes == 0 && sent == 4)
                break;
            await channel.BasicPublishAsync(
                "", "ipc." + Service, true,
                new BasicProperties { Type = "ipc-rpc/1", MessageId = "1", Headers = new Dictionary<string, object?> { ["ipc-method"] = "farm.v1/" + method, ["ipc-attempt"] = 2, ["ipc-m-user"] = new byte[] { (byte)(sent == 4 ? 1 : 0) } } },
                new byte[] { 8, number }, Cancel);
            sent++;
            Watchdog.Until(() => _all.Count + server.Repetitions == sent && server.RequestsInHand == 0, "it to be done with");
        }

        Assert.Equal((handled, (long)repeated), (_all.Count, server.Repetitions));
    }
}
