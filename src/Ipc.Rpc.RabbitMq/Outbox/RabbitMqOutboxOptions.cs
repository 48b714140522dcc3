using System;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Options of a <see cref="RabbitMqOutbox"/>.</summary>
public sealed class RabbitMqOutboxOptions
{
    /// <summary>How it sends to the broker.</summary>
    public RabbitMqClientOptions Broker { get; set; } = new();

    /// <summary>The queue on this machine, if it is created here: how much may wait in it (<see
    /// cref="QueueOptions.BlockSize"/> times <see cref="QueueOptions.BlockCount"/>, and
    /// <see cref="QueueOptions.LoanBudget"/> for longer calls). Its lifetime is <see cref="Lifetime.Persistent"/>, and
    /// it gives nobody's calls up (<see cref="QueueOptions.DropOrphans"/>).</summary>
    public QueueOptions Queue { get; set; } = new();

    /// <summary>Whether this process sends to the broker what waits, of whatever process; others may only put calls in.
    /// Default: <see langword="true"/>.</summary>
    public bool Sends { get; set; } = true;

    /// <summary>How many calls are on the way to the broker at once, 1 to 1024. With 1 they arrive in their order.
    /// Default: 64.</summary>
    public int Window { get; set; } = 64;

    /// <summary>Is told of a call that can never be sent, because it is too large for the broker, or is none; it is
    /// dropped. It runs on any thread, and must not block.</summary>
    public Action<RabbitMqDeadLetter>? Dropped { get; set; }

    internal RabbitMqOutboxOptions Checked()
    {
        if (Window is < 1 or > 1024)
            throw new ArgumentOutOfRangeException(nameof(Window), Window, nameof(Window) + " is 1 to 1024.");
        RabbitMqOutboxOptions copy = (RabbitMqOutboxOptions)MemberwiseClone();
        copy.Broker = Broker.Checked();
        copy.Queue = new QueueOptions
        {
            BlockSize = Queue.BlockSize,
            BlockCount = Queue.BlockCount,
            MaxExpansions = Queue.MaxExpansions,
            MinExpansionDistance = Queue.MinExpansionDistance,
            Preallocate = Queue.Preallocate,
            Participants = Queue.Participants,
            LoanBudget = Queue.LoanBudget,
            Access = Queue.Access,
            OpenMode = Queue.OpenMode,
            OpenTimeout = Queue.OpenTimeout,
            Lifetime = Lifetime.Persistent,
        };
        return copy;
    }
}
