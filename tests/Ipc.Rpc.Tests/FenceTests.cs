using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Pairs of docs/memory-ordering.md between the threads of one process that fail on x64, too, when a fence is missing: each of two threads stores something and then looks at what the
/// other one has stored.</summary>
public sealed class FenceTests
{
    private const int Rounds = 300_000;

    /// <summary>A connection's memory was never freed when its end came between the two: who ended it found somebody reading, and who had read did not see that it was over.</summary>
    [Fact]
    public void WhoGivesTheTurnBackSeesThatItIsOverOrItCanBeTaken()
    {
        var turns = new ReadTurn[Rounds];
        for (int i = 0; i < Rounds; i++)
        {
            turns[i] = new ReadTurn();
            Assert.True(turns[i].TryTake());
        }

        var told = new bool[Rounds];
        var taken = new bool[Rounds];
        Meet(
            i =>
            {
                turns[i].GiveBack();
                told[i] = turns[i].IsOver;
            },
            i =>
            {
                turns[i].SayOver();
                taken[i] = turns[i].TryTake();
            });
        for (int i = 0; i < Rounds; i++)
            Assert.True(told[i] || taken[i], $"in round {i} nobody was the last one");
    }

    /// <summary>A subscriber that came while the first call connected was not told of the connection's end: it was looked for before the connection was shown.</summary>
    [Fact]
    public void ASubscriberThatComesWhileTheFirstCallConnectsIsToldOfItsEnd()
    {
        const int Clients = 300;
        using var server = new TestServer();
        var random = new Random(15);
        for (int i = 0; i < Clients; i++)
        {
            using RpcClient client = RpcClient.Create(server.Name);
            int lateness = random.Next(60_000);
            var subscriber = new Thread(() =>
            {
                Thread.SpinWait(lateness / 30);
                client.ConnectionChanged += static (_, _) => { };
            });
            subscriber.Start();
            Assert.Equal(3, TestServiceRpc.Client(client).Add(1, 2));
            subscriber.Join();
            Assert.True(client.Session.Channel!.IsWatched, $"nobody reads on the connection of client {i}, which came after {lateness}");
        }
    }

    /// <summary>Both threads do each round at about the same time: sometimes one is a little earlier, sometimes the other.</summary>
    private static void Meet(Action<int> first, Action<int> second)
    {
        int[] at = [-1, -1];
        Thread[] threads = [new Thread(() => Run(0, first)), new Thread(() => Run(1, second))];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        void Run(int me, Action<int> act)
        {
            var spin = new SpinWait();
            for (int i = 0; i < Rounds; i++)
            {
                Volatile.Write(ref at[me], i);
                for (int looks = 0; Volatile.Read(ref at[1 - me]) < i; looks++)
                {
                    if (looks > 1000)
                        spin.SpinOnce(sleep1Threshold: -1); // the other one needs a processor
                }

                act(i);
            }
        }
    }
}
