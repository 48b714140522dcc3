using System;
using System.Buffers.Binary;
using System.Linq;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Many senders and receivers: everything arrives, once, unharmed, in the order of its sender.</summary>
public sealed class QueueThreadsTests : QueueTest
{
    private volatile bool _failed;

    [Theory]
    [InlineData(1, 1, 256, 0, false)]
    [InlineData(4, 1, 16, 0, false)]
    [InlineData(1, 4, 16, 0, true)]
    [InlineData(4, 4, 4, 0, true)]
    [InlineData(4, 4, 64, 0, false)]
    [InlineData(4, 4, 4, 7, false)]
    [InlineData(4, 4, 8, 3, true)]
    public void EverythingArrivesOnceAndInOrder(int senders, int receivers, int blocks, int expansions, bool oneObject)
    {
        const int Each = 10_000;
        QueueOptions options = new() { BlockSize = 64, BlockCount = blocks, MaxExpansions = expansions, MinExpansionDistance = expansions == 3 ? 2 : 0, LoanBudget = 0 };
        SharedQueue shared = Queue(options);
        int got = 0;
        int[] counts = new int[senders * Each];
        Background[] sending = Enumerable.Range(0, senders).Select(sender =>
        {
            SharedQueue queue = oneObject ? shared : Queue(options);
            return Guarded(() =>
            {
                byte[] payload = new byte[64];
                for (int i = 0; i < Each; i++)
                {
                    int length = 8 + (i * 31 + sender) % 57;
                    BinaryPrimitives.WriteInt32LittleEndian(payload, sender);
                    BinaryPrimitives.WriteInt32LittleEndian(payload.AsSpan(4), i);
                    payload.AsSpan(8, length - 8).Fill((byte)(i + sender));
                    if (i % 5 == 0)
                    {
                        Assert.Equal(IpcStatus.Ok, queue.Claim(64, out QueueClaim claim, Hang));
                        if (i % 15 == 0)
                        {
                            claim.Abandon();
                            Assert.Equal(IpcStatus.Ok, queue.Claim(length, out claim, Hang));
                        }

                        payload.AsSpan(0, length).CopyTo(claim.Payload);
                        claim.Commit(length, (ushort)length);
                    }
                    else
                    {
                        Assert.Equal(IpcStatus.Ok, queue.Send(payload.AsSpan(0, length), (ushort)length, Hang));
                    }
                }
            });
        }).ToArray();
        Background[] receiving = Enumerable.Range(0, receivers).Select(_ =>
        {
            SharedQueue queue = oneObject ? shared : Queue(options);
            return Guarded(() =>
            {
                int[] last = Enumerable.Repeat(-1, senders).ToArray();
                while (true)
                {
                    IpcStatus status = queue.Receive(out QueueMessage message, Hang);
                    if (status == IpcStatus.Stopped)
                        return;
                    Assert.Equal(IpcStatus.Ok, status);
                    ReadOnlySpan<byte> payload = message.Payload;
                    Assert.Equal(message.Type, payload.Length);
                    int sender = BinaryPrimitives.ReadInt32LittleEndian(payload), number = BinaryPrimitives.ReadInt32LittleEndian(payload[4..]);
                    Assert.True(payload[8..].IndexOfAnyExcept((byte)(number + sender)) < 0, "torn");
                    if (!oneObject)
                        Assert.True(number > last[sender], $"{number} of sender {sender} after {last[sender]}");
                    last[sender] = number;
                    message.Release();
                    Interlocked.Increment(ref counts[sender * Each + number]);
                    Interlocked.Increment(ref got);
                }
            });
        }).ToArray();
        Watchdog.Until(() => _failed || Volatile.Read(ref got) == counts.Length, "everything to arrive");
        EndAll(receiving);
        foreach (Background one in sending)
            one.Join();
        Assert.All(counts, count => Assert.Equal(1, count));
        QueueInfo info = shared.GetInfo();
        Assert.Equal((0, 0), (info.Redelivered, info.Depth));
        Assert.InRange(info.Segments, 1, expansions + 1);
        NothingIn(shared);
    }

    /// <summary>What one throws ends all.</summary>
    private Background Guarded(Action action) => Run(() =>
    {
        try
        {
            action();
        }
        catch
        {
            _failed = true;
            throw;
        }
    });

    /// <summary>Each has its own object, or all the first: stopping all ends all.</summary>
    private void EndAll(Background[] receiving)
    {
        foreach (SharedQueue queue in Opened)
            queue.Stop();
        foreach (Background one in receiving)
            one.Join();
        foreach (SharedQueue queue in Opened)
            queue.Resume();
    }
}
