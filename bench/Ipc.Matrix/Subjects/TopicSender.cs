using System;

namespace Ipc.Matrix;

/// <summary>Publishes its share of a round, written in place.</summary>
internal sealed class TopicSender(TopicWriter topic) : ITrafficEnd
{
    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Traffic.Check(topic.Claim(Traffic.Size, out TopicClaim claim, Deadline.Never));
            BitConverter.TryWriteBytes(claim.Payload, (long)i);
            claim.Commit(Traffic.Size, 1, 0);
        }
    }

    public void Dispose() => topic.Dispose();
}
