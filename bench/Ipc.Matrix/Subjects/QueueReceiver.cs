namespace Ipc.Matrix;

/// <summary>Receives from a queue until its round's end message comes.</summary>
internal sealed class QueueReceiver(SharedQueue queue) : ITrafficEnd
{
    private long _sum;

    public void Run(int count)
    {
        for (; ; )
        {
            Traffic.Check(queue.Receive(out QueueMessage message, Deadline.Never));
            bool end = message.Type == Traffic.EndType;
            _sum += message.Payload[0];
            message.Release();
            if (end)
                return;
        }
    }

    public void Dispose() => queue.Dispose();
}
