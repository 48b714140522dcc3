using System;
using System.Threading;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A topic's writer fails, or comes to its deadline, in the middle: what it had taken by then is given back, and what it says is true.</summary>
public sealed class HalfwayTopicTests : TopicTest
{
    /// <summary>The loan of the attempt that failed was taken for the next message's, whose bytes it was then sent instead of.</summary>
    [Fact]
    public void WhatAFailedClaimHadTakenIsNotSentInsteadOfTheNextMessage()
    {
        TopicWriter writer = Writer(Eight(budget: 1 << 20));
        TopicReader reader = Reader();
        using LiveRegion bytes = Look(Name);
        long slot = (long)bytes.U64(bytes.Body + 24);
        bytes.U64(slot, 0x105); // of the lap before, and in no phase
        Assert.Throws<CorruptRegionException>(() => writer.TryPublish(new byte[20_000]));
        Assert.Throws<CorruptRegionException>(() => writer.Publish(new byte[20_000], 0, 0, Hang));
        bytes.U64(slot, 0);
        Publish(writer, 1, 3);
        Assert.Equal(new[] { 1, 2, 3 }, Drain(reader));
    }

    /// <summary>Two writers come to their deadlines over one slow reader. One cuts it off; the other one was told that it had waited in vain.</summary>
    [Fact]
    public void WhoFindsAReaderCutOffByAnotherGoesOn()
    {
        const int Rounds = 200;
        TopicWriter first = Writer(), second = Writer();
        TopicReader[] readers = new TopicReader[60]; // so that looking at them takes a moment
        for (int i = 0; i < readers.Length; i++)
            readers[i] = Reader(TopicPolicy.Evict);
        using Barrier barrier = new(2);
        IpcStatus[] results = new IpcStatus[2];
        int here = 0;
        void Write(TopicWriter writer, int index)
        {
            for (int round = 0; round < Rounds; round++)
            {
                barrier.SignalAndWait(Watchdog());
                Interlocked.Increment(ref here);
                for (int turn = 0; turn < 20_000 && Volatile.Read(ref here) < 2 * (round + 1); turn++)
                    Thread.SpinWait(1); // to begin at the same moment
                results[index] = writer.Publish(new byte[8], 0, 0, Deadline.Now);
                barrier.SignalAndWait(Watchdog());
                if (index == 0)
                {
                    Assert.Equal(IpcStatus.Ok, results[0]);
                    Assert.Equal(IpcStatus.Ok, results[1]);
                    foreach (TopicReader reader in readers)
                        Assert.Equal(IpcStatus.Ok, reader.Rejoin());
                    Publish(writer, 0, Slots);
                }
            }
        }

        Publish(first, 0, Slots);
        Background other = Run(() => Write(second, 1));
        Background one = Run(() => Write(first, 0));
        one.Join();
        other.Join();
    }

    private static TimeSpan Watchdog() => TimeSpan.FromSeconds(60);
}
