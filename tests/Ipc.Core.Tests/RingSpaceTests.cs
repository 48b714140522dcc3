using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Space that goes back to the writer, and what stands in it.</summary>
public sealed class RingSpaceTests : RegionTest
{
    /// <summary>
    /// A reader that moved the free position before it made the zeros passed every test: a writer that fills what it claims stays behind the zeros. This one fills
    /// nothing, and waits for a lap that is returned in one piece: it is through with it long before the last zero is made.
    /// </summary>
    [Fact]
    public void AWriterThatWaitsForSpaceFindsZerosInAllOfIt()
    {
        const int Length = 60_000;
        const int Records = 6000; // twenty laps
        var options = new RingOptions { Capacity = 16 << 20, LoanBudget = 0 };
        using RingWriter writer = RingWriter.Open("ring", options);
        using RingReader reader = RingReader.Open("ring", options);
        using var stop = new CancellationTokenSource();
        Background writing = Run(() =>
        {
            for (int i = 0; i < Records; i++)
            {
                while (!writer.TryClaim(Length, out _))
                {
                    if (stop.IsCancellationRequested)
                        return;
                }

                writer.Commit(Length, (ushort)i);
            }
        });
        try
        {
            for (int read = 0; read < Records;)
            {
                Assert.Equal(IpcStatus.Ok, reader.Wait(Hang));
                while (reader.TryRead(out RingRecord record))
                {
                    Assert.Equal((ushort)read++, record.Type);
                    Assert.Equal(Length, record.Payload.Length);
                }

                reader.Release();
            }
        }
        finally
        {
            stop.Cancel();
            writing.Join();
        }
    }

    [Fact]
    public void TheWriterKnowsHowMuchIsUnread()
    {
        var options = new RingOptions { Capacity = 4096, LoanBudget = 0 };
        RingWriter writer = RingWriter.Open("ring", options);
        using RingReader reader = RingReader.Open("ring", options);
        Assert.Equal(0, writer.UnreadBytes);
        Assert.True(writer.TryWrite(new byte[8]));
        Assert.True(writer.TryWrite(new byte[100]));
        Assert.Equal(64 + 128, writer.UnreadBytes);
        Assert.True(reader.TryRead(out _));
        Assert.Equal(64 + 128, writer.UnreadBytes); // read, and not released
        reader.Release();
        Assert.Equal(128, writer.UnreadBytes);
        writer.Dispose();
        Assert.Equal(0, writer.UnreadBytes);
    }

    /// <summary>Records that are found off the reader's fast path: behind padding, and in the pool. The flag was forgotten there, and no test knew.</summary>
    [Fact]
    public void WhatComesAgainIsFlaggedBehindPaddingAndOnLoan()
    {
        var options = new RingOptions { Capacity = 4096, LoanBudget = 1 << 20 };
        using RingWriter writer = RingWriter.Open("ring", options);
        using (RingReader first = RingReader.Open("ring", options))
        {
            for (ushort i = 0; i < 3; i++)
            {
                Assert.True(writer.TryWrite(new byte[1000], i));
                Assert.True(first.TryRead(out _));
                first.Release();
            }
        }

        Driven dead = Own(Driven.StartVerb(Language.CSharp, Regions, "ring-hold", "ring", "reader"));
        Assert.Equal("ready", dead.NextLine());
        Assert.True(writer.TryWrite(new byte[1500], 3)); // does not fit before the end of the lap
        Assert.True(writer.TryWrite(new byte[3000], 4)); // does not fit into the ring
        Assert.True(writer.TryWrite(new byte[10], 5));
        dead.Kill();
        using RingReader next = RingReader.Open("ring", options);
        Assert.True(writer.TryWrite(new byte[10], 6));
        for (int i = 3; i < 7; i++)
        {
            Assert.True(next.TryRead(out RingRecord record));
            Assert.Equal(i, record.Type);
            Assert.Equal(i < 6, record.Redelivered);
        }
    }
}
