using System;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Options of a <see cref="RabbitMqServer"/>.</summary>
public sealed class RabbitMqServerOptions : RabbitMqOptions
{
    /// <summary>How many requests the broker gives to this server before it has acknowledged earlier ones: so many are
    /// handled at once. 1 to 65535. Fewer share work more evenly among servers, more hide the way to the broker.
    /// Default: 64.</summary>
    public int Prefetch { get; set; } = 64;

    /// <summary>How many calls with a stream, in whatever direction, this server serves at once; further ones fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>. They do not count for <see cref="Prefetch"/>: the request of a stream
    /// is acknowledged when the stream begins. Default: 1024.</summary>
    public int MaxStreams { get; set; } = 1024;

    /// <summary>How many items of a client's stream may be under way or wait here for its handler, 1 to 65535; then the
    /// client sends no more. It also sends no more when 1 MiB does, where each item counts for 64 bytes more than it
    /// has. What <see cref="RpcServerOptions.StreamWindow"/> of <see cref="Handlers"/> allows waits beside that.
    /// Default: 512.</summary>
    public int StreamWindow { get; set; } = 512;

    /// <summary>The kind of the service's queues. All servers of a service have to choose the same one: the broker
    /// refuses another (<see cref="RpcStatus.FailedPrecondition"/>). Default:
    /// <see cref="RabbitMqQueueKind.Quorum"/>.</summary>
    public RabbitMqQueueKind QueueKind { get; set; }

    /// <summary>How often a message may be delivered, 1 to 20; one that comes again after that goes to the dead-letter
    /// queue. Only quorum queues count. The broker counts every delivery whose server or connection went, whether or
    /// not its handler had begun. Default: 20.</summary>
    public int MaxDeliveries { get; set; } = 20;

    /// <summary>For how long a request that was handled is not handled again when the broker delivers it again, or its
    /// caller makes the call again: it gets the same answer. Only one that was answered well is remembered; only by
    /// this server, so give all requests to one if that has to hold; not beyond its end. Its handler goes on when the
    /// connection to the broker is lost, does not count for <see cref="Prefetch"/> from then on, and is answered when
    /// it comes again. A repetition is a request with the mark, and with the same id, method, metadata and body. Not of
    /// streams. Default: zero, every delivery is handled.</summary>
    public TimeSpan RepetitionWindow { get; set; }

    /// <summary>How many bytes of answers are kept for <see cref="RepetitionWindow"/>, with 400 more for each; the
    /// oldest go first. Default: 16 MiB.</summary>
    public long MaxRepetitionBytes { get; set; } = 16 << 20;

    /// <summary>Is told of every message that this server has put into the dead-letter queue, for a log. It runs on any
    /// thread, and must not block.</summary>
    public Action<RabbitMqDeadLetter>? DeadLettered { get; set; }

    /// <summary>Options of the server that runs the handlers: interceptors, limits, who is told of failures. What is
    /// about shared memory (capacities, access, <see cref="RpcServerOptions.Accept"/>) concerns only the client within
    /// this process. Default: <see langword="null"/>, the defaults.</summary>
    public RpcServerOptions? Handlers { get; set; }

    /// <summary>Whether a server starts although no broker answers: it goes on trying then, as after the loss of a
    /// connection, and serves as soon as one does (<see cref="RabbitMqServer.IsConnected"/>). A broker that refuses it
    /// at the first attempt fails the start in any case; one that does so later is tried again. By default the start
    /// fails with <see cref="RpcStatus.Unavailable"/>.</summary>
    public bool WaitForBroker { get; set; }

    /// <summary>A copy, with a copy of <see cref="Handlers"/>.</summary>
    public RabbitMqServerOptions Copy()
    {
        RabbitMqServerOptions copy = (RabbitMqServerOptions)MemberwiseClone();
        copy.Handlers = Handlers?.Copy();
        return copy;
    }

    internal HandledRequests? Handled() =>
        RepetitionWindow == TimeSpan.Zero ? null : new HandledRequests(RepetitionWindow, MaxRepetitionBytes);

    internal RabbitMqServerOptions Checked()
    {
        Check();
        if (Prefetch is < 1 or > ushort.MaxValue)
            throw Wrong(nameof(Prefetch), Prefetch, "1 to 65535");
        if (MaxStreams < 0)
            throw Wrong(nameof(MaxStreams), MaxStreams, "not negative");
        if (StreamWindow is < 1 or > StreamTerms.MostItems)
            throw Wrong(nameof(StreamWindow), StreamWindow, "1 to 65535");
        if (QueueKind is not (RabbitMqQueueKind.Quorum or RabbitMqQueueKind.Classic))
            throw Wrong(nameof(QueueKind), QueueKind, "one of its names");
        if (MaxDeliveries is < 1 or > 20)
            throw Wrong(nameof(MaxDeliveries), MaxDeliveries, "1 to 20");
        if (RepetitionWindow < TimeSpan.Zero || RepetitionWindow > TimeSpan.FromDays(1))
            throw Wrong(nameof(RepetitionWindow), RepetitionWindow, "not negative, and a day at most");
        if (MaxRepetitionBytes < 0)
            throw Wrong(nameof(MaxRepetitionBytes), MaxRepetitionBytes, "not negative");
        return Copy();
    }
}
