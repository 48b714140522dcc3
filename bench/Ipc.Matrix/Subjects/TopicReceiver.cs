namespace Ipc.Matrix;

/// <summary>Reads every message of a round, in place.</summary>
internal sealed class TopicReceiver(TopicReader topic) : ITrafficEnd
{
    private long _sum;

    public void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Traffic.Check(topic.Read(out TopicMessage message, Deadline.Never));
            _sum += message.Payload[0];
            Traffic.Check(topic.Release());
        }
    }

    public void Dispose() => topic.Dispose();
}
