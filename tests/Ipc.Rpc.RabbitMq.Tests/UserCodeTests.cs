using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Tests;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Every place where the library calls code of its user: the rows of "C# and RabbitMQ" in docs/guide/user-code.md.</summary>
public sealed class UserCodeTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private readonly Sink _sink = new();
    private readonly Farm _farm = new("one");
    private RabbitMqClient _client = null!;
    private BadNetwork? _network;

    public static TheoryData<string> Places => ["dead letter", "change", "receiver", "receiver of a stream", "source", "registration"];

    /// <summary>It runs on a thread of the pool, waits there for a call that another thread makes over the same connection, and finishes: no lock is held.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task ItMayWaitForACallOfAnotherThread(string place)
    {
        IFarm other = (await ConnectAsync()).For<IFarm>();
        TaskCompletionSource<(bool OfPool, bool Answered)> inside = new();
        try
        {
            await ReachAsync(place, () =>
            {
                IFarm caller = place == "change" ? other : _client.For<IFarm>(); // that client has no connection meanwhile
                bool answered = Task.Run(async () => await caller.DoAsync(1, Cancel) == "one").Wait(Patience);
                inside.TrySetResult((Thread.CurrentThread.IsThreadPoolThread, answered));
            });
            Assert.Equal((true, true), await inside.Task.WaitAsync(Patience, Cancel));
        }
        finally
        {
            _network?.Dispose();
        }
    }

    /// <summary>The call that it belongs to fails with it, where there is one; where there is none it is traced. All else goes on.</summary>
    [Theory]
    [MemberData(nameof(Places))]
    public async Task WhatItThrowsEndsNothingElse(string place)
    {
        using Reports reports = new();
        int times = 0;
        InvalidOperationException own = new("thrown at: " + place);
        try
        {
            Task? call = await ReachAsync(place, () =>
            {
                Interlocked.Increment(ref times);
                throw own;
            });
            Watchdog.Until(() => Volatile.Read(ref times) != 0, place);
            if (place is "receiver" or "receiver of a stream" or "source")
            {
                Exception? failure = await Record.ExceptionAsync(() => call!.WaitAsync(Patience, Cancel));
                Assert.True(ReferenceEquals(own, failure), "it ended with " + failure);
            }
            else if (place == "registration")
            {
                Exception? failure = await Record.ExceptionAsync(() => call!.WaitAsync(Patience, Cancel));
                Assert.True(failure is OperationCanceledException, "it ended with " + failure);
            }
            else
            {
                Watchdog.Until(() => reports.Find(own.Message), "the trace");
            }

            if (place == "source")
                Watchdog.Until(() => _sink.Cancelled == 1, "the handler to be told");
            await UntilAnsweredAsync(_client);
            await UntilAnsweredAsync(await ConnectAsync());
        }
        finally
        {
            _network?.Dispose();
        }
    }

    private async Task UntilAnsweredAsync(RabbitMqClient client)
    {
        for (long began = Stopwatch.GetTimestamp(); ;)
        {
            try
            {
                Assert.Equal("one", await client.For<IFarm>().DoAsync(1, Cancel).AsTask().WaitAsync(Patience, Cancel));
                return;
            }
            catch (RpcCallException) when (_network != null && Stopwatch.GetElapsedTime(began) < Patience)
            {
                await Task.Delay(20, Cancel); // it comes back
            }
        }
    }

    /// <summary>Makes the library run <paramref name="code"/>. The call in which it does; null where it is none of a call.</summary>
    private async Task<Task?> ReachAsync(string place, Action code)
    {
        RabbitMqServerOptions options = ServerOptions;
        if (place == "dead letter")
            options.DeadLettered = _ => code();
        Mine(await RabbitMqServer.StartAsync(Address, options, FarmRpc.Service(_farm), SinkRpc.Service(_sink)).WaitAsync(Patience, Cancel));
        string? address = null;
        bool isOpen = false;
        if (place == "change")
        {
            _network = new BadNetwork(Broker.EndPoint);
            address = AddressAt(_network.Port);
            ClientOptions.ConnectionChanged = _ =>
            {
                if (Volatile.Read(ref isOpen))
                    code();
            };
        }

        _client = await ConnectAsync(address: address);
        ClientOptions.ConnectionChanged = null;
        Volatile.Write(ref isOpen, true);
        switch (place)
        {
            case "dead letter":
                _farm.After = static (number, _) => number == 7 ? throw new InvalidOperationException("no luck") : Task.CompletedTask;
                await _client.For<IFarm>().NoteAsync(7, Cancel);
                return null;
            case "change":
                _network!.Cut();
                return null;
            case "receiver":
                return Elsewhere(() => _client.Caller.WithAnswer(_ => code()).For<IFarm>().DoAsync(2, Cancel).AsTask());
            case "receiver of a stream":
                return Elsewhere(() => _client.Caller.WithAnswer(_ => code()).For<ISink>().TakeAsync("", new Source(3), Cancel));
            case "source":
                return Elsewhere(() => _client.For<ISink>().TakeAsync("", Calling(2, code), Cancel));
            default:
                CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
                TaskCompletionSource registered = new();
                Task<long> call = _client.For<ISink>().TakeAsync("", Registering(registered, code), stop.Token);
                await registered.Task.WaitAsync(Patience, Cancel);
                _ = Elsewhere(() =>
                {
                    stop.Cancel();
                    return Task.CompletedTask;
                });
                return call;
        }
    }

    /// <summary>Begins it on a thread that is none of the pool: whatever runs in it as a part of that is seen.</summary>
    private static Task Elsewhere(Func<Task> begin)
    {
        Task? begun = null;
        Thread thread = new(() => begun = begin());
        thread.Start();
        thread.Join();
        return begun!;
    }

    private static Source Calling(int at, Action code) => new(5, (item, _) =>
    {
        if (item == at)
            code();
        return default;
    });

    private static Source Registering(TaskCompletionSource registered, Action code) => new(-1, async (item, cancel) =>
    {
        if (item != 2)
            return;
        cancel.Register(code);
        registered.SetResult();
        await Task.Delay(Timeout.Infinite, cancel);
    });
}
