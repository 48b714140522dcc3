namespace Ipc.Hosting;

/// <summary>How a message of a topic has come.</summary>
public sealed class TopicDelivery
{
    internal TopicDelivery(string topic, in TopicItem item, int attempt)
    {
        Topic = topic;
        Type = item.Type;
        Key = item.Key;
        Lost = item.Lost;
        Position = item.Position;
        Attempt = attempt;
    }

    /// <summary>The topic's name.</summary>
    public string Topic { get; }

    /// <summary>What the writer gave with it.</summary>
    public ushort Type { get; }

    /// <summary>The key that it was published with.</summary>
    public ulong Key { get; }

    /// <summary>How many messages before it this consumer has missed.</summary>
    public long Lost { get; }

    /// <summary>Its place in the topic.</summary>
    public long Position { get; }

    /// <summary>1 for the first time.</summary>
    public int Attempt { get; }
}
