using System;
using System.Globalization;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>Numbered traffic of many senders through a queue: number n of sender s is s * 2^32 + i.</summary>
internal sealed partial class Driver
{
    private const int Senders = 256;

    /// <summary>What one thread has sent or received.</summary>
    private sealed class Tally
    {
        public int Status;
        public ulong Count, Redelivered, At;
        public uint Sum;
        public string Text = "";
    }

    /// <summary>stream ID SENDER COUNT MAX [threads=K] timeout=MS</summary>
    private string QueueStream(SharedQueue queue)
    {
        ulong first = (ulong)_line.Long(2), count = (ulong)_line.Long(3);
        int max = _line.Int(4);
        Deadline until = _line.Deadline;
        return RunThreads((thread, tally) =>
        {
            for (ulong i = 0; i < count && tally.Status == 0; i++)
            {
                ulong n = ((first + (ulong)thread) << 32) | i;
                int length = Content.NumberedLength(n, max);
                tally.Status = (int)queue.Claim(length, out QueueClaim claim, until);
                tally.At = i;
                if (tally.Status != 0)
                    return;
                Content.FillNumbered(claim.Payload, n);
                claim.Commit(length, (ushort)(n & 1023));
            }
        });
    }

    /// <summary>collect ID MAX [threads=K] [delay=TURNS] timeout=MS: each thread until an end mark.</summary>
    private string QueueCollect(SharedQueue queue)
    {
        int max = _line.Int(2), delay = (int)_line.Number("delay", 0);
        Deadline until = _line.Deadline;
        return RunThreads((_, tally) =>
        {
            ulong[] next = new ulong[Senders];
            while (true)
            {
                IpcStatus status = queue.Receive(out QueueMessage message, until);
                if (status != IpcStatus.Ok)
                {
                    (tally.Status, tally.At) = ((int)status, tally.Count);
                    return;
                }
                using QueueMessage releasing = message;
                if (message.Type == EndOfService)
                    return;
                bool whole = Content.IsNumbered(message.Payload, out ulong n) && message.Payload.Length == Content.NumberedLength(n, max) &&
                    message.Type == (n & 1023) && n >> 32 < Senders;
                if (!whole || (!message.Redelivered && (uint)n < next[n >> 32]))
                {
                    (tally.Status, tally.At) = (WrongContent, n);
                    tally.Text = whole ? "out of order" : $"{message.Payload.Length} bytes of type {message.Type}";
                    return;
                }
                next[n >> 32] = (uint)n + 1;
                tally.Count++;
                tally.Redelivered += message.Redelivered ? 1u : 0;
                tally.Sum += HashOf(n);
                Thread.SpinWait(delay / 8);
            }
        });
    }

    private string RunThreads(Action<int, Tally> body)
    {
        int threads = (int)_line.Number("threads", 1);
        var tallies = new Tally[threads];
        var running = new Thread[threads];
        for (int t = 0; t < threads; t++)
        {
            (int mine, Tally tally) = (t, tallies[t] = new Tally());
            running[t] = new Thread(() =>
            {
                try
                {
                    body(mine, tally);
                }
                catch (IpcException error)
                {
                    (tally.Status, tally.Text) = ((int)error.Status, error.Message.ReplaceLineEndings(" "));
                }
            });
            running[t].Start();
        }
        var sum = new Tally();
        for (int t = 0; t < threads; t++)
        {
            running[t].Join();
            sum.Count += tallies[t].Count;
            sum.Redelivered += tallies[t].Redelivered;
            sum.Sum += tallies[t].Sum;
            if (tallies[t].Status != 0 && sum.Status == 0)
                (sum.Status, sum.At, sum.Text) = (tallies[t].Status, tallies[t].At, tallies[t].Text);
        }
        return string.Create(CultureInfo.InvariantCulture, $"{sum.Status} count={sum.Count} redelivered={sum.Redelivered} sum={sum.Sum} at={sum.At} | {sum.Text}");
    }

    private static uint HashOf(ulong n)
    {
        Span<byte> bytes = stackalloc byte[8];
        System.Buffers.Binary.BinaryPrimitives.WriteUInt64LittleEndian(bytes, n);
        return Content.Hash(bytes);
    }
}
