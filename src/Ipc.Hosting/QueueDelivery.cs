namespace Ipc.Hosting;

/// <summary>How a message of a queue has come.</summary>
public sealed class QueueDelivery
{
    internal QueueDelivery(string queue, ushort type, bool redelivered, int attempt)
    {
        Queue = queue;
        Type = type;
        Redelivered = redelivered;
        Attempt = attempt;
    }

    /// <summary>The queue's name.</summary>
    public string Queue { get; }

    /// <summary>What the sender gave with it.</summary>
    public ushort Type { get; }

    /// <summary>A receiver had it that died or left before it was done: it may have been handled already.</summary>
    public bool Redelivered { get; }

    /// <summary>1 for the first time. A message that is redelivered begins with 2: how often others have tried is not known.</summary>
    public int Attempt { get; }
}
