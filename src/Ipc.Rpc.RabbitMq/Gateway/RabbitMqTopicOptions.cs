using System;
using System.Threading;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Options of a <see cref="RabbitMqTopic"/>.</summary>
public sealed class RabbitMqTopicOptions : RabbitMqOptions
{
    /// <summary>Whether what is published on this machine goes to the others. Default:
    /// <see langword="true"/>.</summary>
    public bool Sends { get; set; } = true;

    /// <summary>Whether what is published on the others comes to this machine. Default:
    /// <see langword="true"/>.</summary>
    public bool Receives { get; set; } = true;

    /// <summary>What happens when the broker is slower than the writers of this machine, or away: by default
    /// (<see cref="TopicPolicy.Lossy"/>) they never wait, and what the topic no longer holds is lost and counted. With
    /// <see cref="TopicPolicy.Reliable"/> they wait, also for a broker that is away. With
    /// <see cref="TopicPolicy.Latest"/> only the newest message of each key goes. <see cref="TopicPolicy.Evict"/>
    /// cannot be.</summary>
    public TopicPolicy Policy { get; set; } = TopicPolicy.Lossy;

    /// <summary>The topic on this machine, if it is created here, and who may use it. A message that it does not hold
    /// is left out and counted. Not with <see cref="OpenMode.CreateNew"/>, because it is opened again when it was
    /// damaged; and one with a <see cref="TopicOptions.SingleWriter"/> either sends or receives.</summary>
    public TopicOptions Topic { get; set; } = new();

    /// <summary>How many bytes may wait at the broker for this machine; then the oldest are dropped there, and counted
    /// here. 64 KiB at least. Default: 64 MiB.</summary>
    public int MaxWaitingBytes { get; set; } = 64 << 20;

    /// <summary>What this machine is called: one gateway of a topic can be there for each name, user and name of the
    /// topic here. Default: the machine's name.</summary>
    public string Machine { get; set; } = Environment.MachineName;

    /// <summary>Is told when it begins to serve, and why it does not; for a log. It runs on a thread of the pool, one
    /// call at a time. Nothing is tried again, and no disposal ends, before it returns.</summary>
    public Action<RabbitMqGatewayChange>? Changed { get; set; }

    /// <summary>A copy, with a copy of <see cref="Topic"/>.</summary>
    public RabbitMqTopicOptions Copy()
    {
        RabbitMqTopicOptions copy = (RabbitMqTopicOptions)MemberwiseClone();
        copy.Topic = new TopicOptions
        {
            BlockSize = Topic.BlockSize,
            BlockCount = Topic.BlockCount,
            MaxReaders = Topic.MaxReaders,
            MaxWriters = Topic.MaxWriters,
            SingleWriter = Topic.SingleWriter,
            AllowedPolicies = Topic.AllowedPolicies,
            LoanBudget = Topic.LoanBudget,
            Lifetime = Topic.Lifetime,
            OpenMode = Topic.OpenMode,
            OpenTimeout = Topic.OpenTimeout,
            Access = Topic.Access,
            WaitMode = Topic.WaitMode,
            SpinLimit = Topic.SpinLimit,
        };
        return copy;
    }

    internal RabbitMqTopicOptions Checked()
    {
        Check();
        if (!Sends && !Receives)
            throw new ArgumentException("A topic that neither sends nor receives does nothing.");
        if (Policy is not (TopicPolicy.Lossy or TopicPolicy.Reliable or TopicPolicy.Latest))
            throw Wrong(nameof(Policy), Policy, "Lossy, Reliable or Latest");
        if (MaxWaitingBytes < 64 << 10)
            throw Wrong(nameof(MaxWaitingBytes), MaxWaitingBytes, "64 KiB at least");
        ArgumentNullException.ThrowIfNull(Topic);
        if (Topic.OpenMode == OpenMode.CreateNew)
            throw new ArgumentException("A topic that other machines have is opened again: OpenMode.CreateNew cannot.");
        if (Topic.SingleWriter && Sends && Receives)
            throw new ArgumentException("Where a topic has a single writer, its gateway either sends or receives.");
        ArgumentException.ThrowIfNullOrEmpty(Machine);
        return Copy();
    }
}
