using System;
using System.Diagnostics;

namespace Ipc.Matrix.Cells;

/// <summary>A transport of messages of bytes, used by one thread on each side that waits itself.</summary>
internal abstract class ByteLink : Link
{
    public sealed override void Measure(Work work, int count, Round round)
    {
        long number = work.Number, first = number + work.Batch, end = first + count;
        if (work.IsStream)
            Send(work.Codec.Request(number), more: false);
        while (number < end)
        {
            if (number == first)
                round.Begin();
            int batch = (int)Math.Min(work.Batch, end - number);
            long began = Stopwatch.GetTimestamp();
            if (!work.IsStream)
                SendRequests(work, number, batch);
            for (int i = 0; i < batch; i++, number++)
            {
                long stamp = work.Codec.CheckResponse(Receive(), number);
                Release();
                if (number >= first)
                    round.Note(work.IsStream ? stamp : began);
            }
        }

        round.End();
        work.Number = number;
    }

    public sealed override void Answer(Work work, int count)
    {
        long number = work.Number, end = number + work.Batch + count;
        if (work.IsStream)
        {
            work.Codec.CheckRequest(Receive(), number);
            Release();
        }

        while (number < end)
        {
            int batch = (int)Math.Min(work.Batch, end - number);
            for (int i = 0; i < batch; i++, number++)
            {
                if (!work.IsStream)
                {
                    work.Codec.CheckRequest(Receive(), number);
                    Release();
                }

                Send(work.Codec.Response(number, work.IsStream ? Stopwatch.GetTimestamp() : 0), work.Batch > 1);
            }

            if (work.Batch > 1)
                Flush();
        }

        work.Number = number;
    }

    /// <param name="bytes">The message; it is copied.</param>
    /// <param name="more">Others follow at once, then <see cref="Flush"/>: it may be held back until then.</param>
    protected abstract void Send(ReadOnlySpan<byte> bytes, bool more);

    /// <summary>Publishes what was held back.</summary>
    protected abstract void Flush();

    /// <summary>The next message, where the transport has it, until <see cref="Release"/>.</summary>
    protected abstract ReadOnlySpan<byte> Receive();

    protected abstract void Release();

    private void SendRequests(Work work, long number, int batch)
    {
        for (int i = 0; i < batch; i++)
            Send(work.Codec.Request(number + i), work.Batch > 1);
        if (work.Batch > 1)
            Flush();
    }
}
