using System;
using System.Diagnostics;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A writer sleeps for the room that a reader makes, again and again, and so no membarrier helps: the reader's own fence has to stand before whatever it decides by.</summary>
/// <remarks>The reader keeps its processor's store buffer full of stores that miss the cache, as one does that copies payloads away: then the store of its cursor is late. With the fence behind the reader's look
/// at the tail a wake-up was lost about once in 20 s. IPC_TEST_LONG=1: 90 s in the place of one.</remarks>
public sealed class TopicRoomTests : RegionTest
{
    [Fact]
    public void AWriterThatSleepsOftenIsWokenByEachReleaseThatMakesRoom()
    {
        double seconds = Switches.LongRuns ? 90 : 1;
        TopicOptions options = new() { BlockSize = 64, BlockCount = 2, WaitMode = WaitMode.Block };
        using TopicWriter writer = TopicWriter.Open("t", options);
        using TopicReader reader = TopicReader.Open("t", options, new TopicReaderOptions { Policy = TopicPolicy.Reliable });
        Stopwatch clock = Stopwatch.StartNew();
        Background reading = Run(() =>
        {
            byte[] far = new byte[256 << 20];
            uint random = 12345;
            for (ulong expected = 0; reader.Read(out TopicMessage message, Deadline.After(Watchdog.Patience)) == IpcStatus.Ok; expected++)
            {
                ulong number = BitConverter.ToUInt64(message.Payload);
                if (number == ulong.MaxValue)
                    return;
                Assert.Equal(expected, number);
                for (int i = 0; i < 60; i++)
                {
                    random = random * 1664525 + 1013904223;
                    far[(int)(random >> 4) & (far.Length - 1)] = (byte)i;
                }

                reader.Release();
            }

            Assert.Fail("The reader waits for a writer that sleeps.");
        });
        for (ulong number = 0; clock.Elapsed.TotalSeconds < seconds; number++)
            writer.Publish(BitConverter.GetBytes(number), 0, 0, Watchdog.Patience);
        writer.Publish(BitConverter.GetBytes(ulong.MaxValue), 0, 0, Watchdog.Patience);
        reading.Join();
    }
}
