using System;

namespace Ipc.Matrix;

/// <summary>Sends its share of a round through a queue, written in place.</summary>
internal sealed class QueueSender(SharedQueue queue) : ITrafficEnd
{
    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Traffic.Check(queue.Claim(Traffic.Size, out QueueClaim claim, Deadline.Never));
            BitConverter.TryWriteBytes(claim.Payload, (long)i);
            claim.Commit(Traffic.Size, 1);
        }
    }

    public void Dispose() => queue.Dispose();
}
