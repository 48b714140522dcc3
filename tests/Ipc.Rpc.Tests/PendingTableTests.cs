using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Where calls wait for their answers: a slot has one call at a time, and each use of it another number.</summary>
public sealed class PendingTableTests
{
    private const int Limit = 20;

    [Fact]
    public void ASlotIsTakenAgainOnlyWhenItsCallHasEnded()
    {
        var table = new PendingTable(Limit);
        PendingSlot[] slots = Enumerable.Range(0, Limit).Select(_ => Open(table)!).ToArray();

        Assert.Equal(Limit, slots.Select(slot => slot.Number).Distinct().Count());
        Assert.Null(Open(table));

        ulong before = slots[7].CallId;
        Assert.True(slots[7].TryEnd((uint)(before >> 32), out _));
        PendingSlot? again = Open(table);

        Assert.Same(slots[7], again);
        Assert.NotEqual(before, again!.CallId);
        Assert.False(again.TryEnd((uint)(before >> 32), out _)); // a late answer to the call before
        Assert.True(again.IsPending(out _));
        Assert.Null(Open(table));
    }

    [Fact]
    public void ASlotThatWasNotOpenedIsFree()
    {
        var table = new PendingTable(1);
        PendingSlot slot = table.Take(Call())!;
        slot.Undo();

        Assert.Same(slot, Open(table));
        Assert.Null(Open(table));
    }

    /// <summary>One thread takes, as under the write lock; others end calls meanwhile. No call is taken from its slot twice, or is another one's.</summary>
    [Fact]
    public async Task WhoEndsACallGetsThatCall()
    {
        const int Calls = 50_000;
        var table = new PendingTable(Limit);
        var open = new Queue<(PendingSlot Slot, uint Use, PendingCall Call)>();
        int wrong = 0;
        int ended = 0;
        Task[] enders = Enumerable.Range(0, 2).Select(_ => Task.Factory.StartNew(
            () =>
            {
                while (Volatile.Read(ref ended) < Calls)
                {
                    (PendingSlot Slot, uint Use, PendingCall Call) next;
                    lock (open)
                    {
                        if (open.Count == 0)
                            continue;
                        next = open.Dequeue();
                    }

                    if (!next.Slot.TryEnd(next.Use, out PendingCall call) || !ReferenceEquals(call, next.Call) || next.Slot.TryEnd(next.Use, out PendingCall _))
                        Interlocked.Increment(ref wrong);
                    Interlocked.Increment(ref ended);
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToArray();

        for (int i = 0; i < Calls;)
        {
            SyncCall<int> call = Call();
            if (table.Take(call) is not { } slot)
            {
                Thread.Yield();
                continue;
            }

            slot.Open();
            lock (open)
                open.Enqueue((slot, call.Use, call));
            i++;
        }

        await Task.WhenAll(enders);
        Assert.Equal(0, wrong);
    }

    private static PendingSlot? Open(PendingTable table)
    {
        PendingSlot? slot = table.Take(Call());
        slot?.Open();
        return slot;
    }

    private static SyncCall<int> Call() => SyncCall<int>.Rent(Hand.Ask, Hand.Ask.Response, ulong.MaxValue);
}
