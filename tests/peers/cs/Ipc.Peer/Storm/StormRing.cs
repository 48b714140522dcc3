using System;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>A storm's worker at a ring: one writer, one reader, each replaced when it dies.</summary>
internal static class StormRing
{
    public static int Run(StormWorker worker, string role)
    {
        var options = new RingOptions { Capacity = 16384, Lifetime = Lifetime.Persistent, WaitMode = worker.WaitMode, LoanBudget = 1 << 20 };
        if (role is "send" or "end")
        {
            using RingWriter writer = RingWriter.Open(worker.Name, options);
            worker.Side.NoteAttached();
            if (role == "send")
                return worker.SendAll((n, onlyAbandon) => Send(writer, n, onlyAbandon));
            IpcStatus status;
            while ((status = writer.Write("end"u8, StormWorker.End, Deadline.Never, CancellationToken.None)) is IpcStatus.PeerDied or IpcStatus.PeerClosed)
                writer.WaitForPeer(Deadline.Never, CancellationToken.None); // full, and its last reader was killed: the next one is on its way
            return status == IpcStatus.Ok ? Program.Right : Program.Error(status, "");
        }
        using RingReader reader = RingReader.Open(worker.Name, options);
        worker.Side.NoteAttached();
        int result = Program.Right;
        for (bool ended = false; result == Program.Right && !ended;)
            result = Receive(worker, reader, role == "receive", out ended);
        if (role == "sweep")
            RingWriter.Open(worker.Name, options).Dispose(); // the writer's entry, too: a ring's dead is found by who joins
        return result;
    }

    private static IpcStatus Send(RingWriter writer, ulong n, bool onlyAbandon)
    {
        int length = StormWorker.LengthOf(n);
        while (true)
        {
            IpcStatus status = writer.Claim(length, out Span<byte> payload, Deadline.Never);
            if (status is IpcStatus.PeerDied or IpcStatus.PeerClosed) // full, and its reader is being replaced
            {
                writer.WaitForPeer(Deadline.Never, CancellationToken.None);
                continue;
            }
            if (status != IpcStatus.Ok)
                return status;
            Drive.Content.FillNumbered(payload, n);
            if (onlyAbandon)
                writer.Abandon();
            else
                writer.Commit(length, (ushort)(n & 1023));
            return IpcStatus.Ok;
        }
    }

    private static int Receive(StormWorker worker, RingReader reader, bool waits, out bool ended)
    {
        ended = false;
        RingRecord record;
        if (waits)
        {
            IpcStatus status;
            while ((status = reader.Read(out record, Deadline.Never)) is IpcStatus.PeerDied or IpcStatus.PeerClosed)
                reader.WaitForPeer(Deadline.Never, CancellationToken.None); // empty, and its writer is being replaced
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
        }
        else if (!reader.TryRead(out record))
        {
            ended = true;
            return Program.Right;
        }
        int result = Program.Right;
        if (record.Type != StormWorker.End)
            result = worker.Delivered(record.Payload, record.Redelivered);
        else
            ended = waits;
        reader.Release();
        return result;
    }
}
