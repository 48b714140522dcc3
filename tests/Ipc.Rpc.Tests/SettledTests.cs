using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What stands for a call is used again only when nobody can complete it any more.</summary>
public sealed class SettledTests
{
    /// <summary>A synchronous call was used again when <see cref="Thread.Interrupt"/> had ended its wait; the answer that came then was the next call's.</summary>
    [Fact]
    public async Task AnInterruptedCallsAnswerIsNotTheNextCalls()
    {
        using var opened = new ManualResetEventSlim();
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.UnaryAsync(Hand.Ask, async (number, _) =>
            {
                if (number != 1 && number != 5)
                    return number;
                await Task.Run(() => opened.Wait(), CancellationToken.None);
                return number;
            }));
        using RpcClient client = RpcClient.Connect(name);
        Task<int> reader = Task.Factory.StartNew(() => client.Call(Hand.Ask, 5), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Eventually.True(() => PendingCalls(client) == 1 && !client.Session.Channel!.Turn.IsFree, "a call holds the turn to read");
        Exception? ended = null;
        int next = 0;
        var thread = new Thread(() =>
        {
            try
            {
                client.Call(Hand.Ask, 1);
            }
            catch (ThreadInterruptedException e)
            {
                ended = e;
            }

            next = client.Call(Hand.Ask, 2);
        });
        thread.Start();
        Eventually.True(() => PendingCalls(client) == 2 && client.Session.Channel!.Turn.HasWaiters, "the second call waits while the first one reads");
        thread.Interrupt();
        Eventually.True(() => Volatile.Read(ref ended) is not null, "the interrupt ends the wait");
        opened.Set();
        Assert.True(thread.Join(Eventually.Watchdog));
        Assert.IsType<ThreadInterruptedException>(ended);
        Assert.Equal(2, next);
        Assert.Equal(5, await Eventually.Ends(reader));
        Eventually.True(() => PendingCalls(client) == 0, "the interrupted call has ended, too");
    }

    [Fact]
    public void ACallThatIsPendingIsNotGivenBack()
    {
        var call = SyncCall<int>.Rent(Hand.Ask, Hand.Number, ulong.MaxValue);
        Assert.True(call.TryGiveBack()); // never sent
        Assert.Same(call, SyncCall<int>.Rent(Hand.Ask, Hand.Number, ulong.MaxValue));
        call.OnSending(null!);
        Assert.False(call.TryGiveBack());
        call.OnFailure(RpcFailure.Cancelled(Hand.Ask));
        Assert.True(call.TryGiveBack());
        Assert.Same(call, SyncCall<int>.Rent(Hand.Ask, Hand.Number, ulong.MaxValue));
    }

    /// <summary>Threads that wait are interrupted all the time: each of their calls has its own answer or ends by the interrupt.</summary>
    [Fact]
    public void InterruptsMixNothingUp()
    {
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(Hand.Ask, static (number, _) =>
        {
            Thread.SpinWait(number % 7 * 500);
            return number;
        }));
        using RpcClient client = RpcClient.Connect(name);
        int rounds = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 200_000 : 3_000;
        int over = 0;
        Exception? wrong = null;
        var threads = new Thread[4];
        for (int t = 0; t < threads.Length; t++)
        {
            int first = t * 1_000_000;
            threads[t] = new Thread(() =>
            {
                for (int i = 0; i < rounds; i++)
                {
                    try
                    {
                        int answer = client.Call(Hand.Ask, first + i);
                        if (answer != first + i)
                            wrong = new InvalidOperationException("asked " + (first + i) + ", got " + answer);
                    }
                    catch (ThreadInterruptedException)
                    {
                        // as good
                    }
                    catch (RpcCallException e)
                    {
                        wrong = e;
                    }
                }

                while (true)
                {
                    try
                    {
                        Thread.Sleep(0); // a late interrupt ends here
                        Interlocked.Increment(ref over);
                        return;
                    }
                    catch (ThreadInterruptedException)
                    {
                    }
                }
            });
            threads[t].Start();
        }

        while (Volatile.Read(ref over) < threads.Length)
        {
            foreach (Thread thread in threads)
                thread.Interrupt();
            Thread.Sleep(0);
        }

        foreach (Thread thread in threads)
            Assert.True(thread.Join(Eventually.Watchdog));
        Assert.Null(wrong);
        Eventually.True(() => PendingCalls(client) == 0, "no call is left behind");
        Assert.Equal(7, client.Call(Hand.Ask, 7));
    }

    internal static int PendingCalls(RpcClient client) => client.Session.Channel!.Engine.CountPending();
}
