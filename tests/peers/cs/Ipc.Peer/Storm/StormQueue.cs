using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>A storm's worker at a queue: small segments that grow, short blocks, loans.</summary>
internal static class StormQueue
{
    public static int Run(StormWorker worker, string role)
    {
        using SharedQueue queue = SharedQueue.Open(worker.Name, new QueueOptions
        {
            BlockSize = 128,
            BlockCount = 64,
            MaxExpansions = 3,
            MinExpansionDistance = worker.Seed % 2 == 0 ? 8 : 0,
            Lifetime = Lifetime.Persistent,
            Participants = 32,
            LoanBudget = 1 << 20,
            WaitMode = worker.WaitMode,
        });
        worker.Side.NoteAttached();
        if (role == "send")
            return worker.SendAll((n, onlyAbandon) => Send(queue, n, onlyAbandon));
        if (role == "end")
            return queue.Send("end"u8, StormWorker.End, Deadline.Never) is var status and not IpcStatus.Ok ? Program.Error(status, "") : Program.Right;
        int result = Program.Right;
        for (bool ended = false; result == Program.Right && !ended;)
            result = Receive(worker, queue, role == "receive", out ended);
        return result;
    }

    private static IpcStatus Send(SharedQueue queue, ulong n, bool onlyAbandon)
    {
        int length = StormWorker.LengthOf(n);
        IpcStatus status = queue.Claim(length, out QueueClaim claim, Deadline.Never);
        if (status != IpcStatus.Ok)
            return status;
        Drive.Content.FillNumbered(claim.Payload, n);
        if (onlyAbandon)
            claim.Abandon();
        else
            claim.Commit(length, (ushort)(n & 1023));
        return IpcStatus.Ok;
    }

    private static int Receive(StormWorker worker, SharedQueue queue, bool waits, out bool ended)
    {
        ended = false;
        QueueMessage message;
        if (waits)
        {
            IpcStatus status = queue.Receive(out message, Deadline.Never);
            if (status != IpcStatus.Ok)
                return Program.Error(status, "");
        }
        else if (!queue.TryReceive(out message))
        {
            ended = true;
            return Program.Right;
        }
        int result = Program.Right;
        if (message.Type != StormWorker.End)
            result = worker.Delivered(message.Payload, message.Redelivered);
        else
            ended = waits; // one too many is nothing
        message.Release();
        return result;
    }
}
