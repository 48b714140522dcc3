using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Limits and other options of a server.</summary>
public sealed class RpcServerOptions
{
    /// <summary>How many clients may be connected at once, 1 to 16383. Default: 1023.</summary>
    public int MaxConnections { get; set; } = 1023;

    /// <summary>The largest ring of a client, in bytes; a client that asks for more is refused.</summary>
    public long MaxRingCapacity { get; set; } = 64L << 20;

    /// <summary>The largest loan budget of a client for one direction, in bytes; a client that asks for more is
    /// refused. Default: 1 GiB; 8 MiB in a process of 32 bits.</summary>
    public long MaxLoanBudget { get; set; } = new ListenerOptions().MaxLoanBudget;

    /// <summary>Whether to spin, to sleep, or to spin and then sleep (the default) while waiting for
    /// requests.</summary>
    public WaitMode WaitMode { get; set; } = WaitMode.Adaptive;

    /// <summary>How many threads the server may have. When all are blocked in handlers, no further requests are
    /// read.</summary>
    /// <remarks>The handlers of one client may block at most half of them; its further requests wait until some
    /// return.</remarks>
    public int MaxThreads { get; set; } = 256;

    /// <summary>How many calls and streams of one connection may be pending, from the request to the end of the answer;
    /// further ones fail with <see cref="RpcStatus.ResourceExhausted"/>.</summary>
    public int MaxPendingCalls { get; set; } = 65536;

    /// <summary>How many bytes of answers may wait in the server's memory for a client that does not read. When there
    /// are more, its connection is closed. Default: 256 MiB.</summary>
    public long MaxUnsentBytes { get; set; } = 256L << 20;

    /// <summary>How many bytes of a connection's requests may wait in the server's memory because of
    /// <see cref="MaxConcurrentCalls"/>, <see cref="OrderedCalls"/> or the share of <see cref="MaxThreads"/>. While
    /// more wait, further requests fail with <see cref="RpcStatus.ResourceExhausted"/>. Default: 64 MiB.</summary>
    /// <remarks>A request counts with its encoded size. The request that exceeds the limit still waits. Requests whose
    /// handlers run do not count.</remarks>
    public long MaxHeldBytes { get; set; } = 64L << 20;

    /// <summary>How many calls, including streams, may run at once. Further requests wait, in order of arrival, without
    /// an error. Default: 0, which means any number.</summary>
    /// <remarks>A request waits in the ring of its connection if no other call of that connection runs, otherwise in
    /// the server's memory, limited by <see cref="MaxPendingCalls"/> and <see cref="MaxHeldBytes"/>. A handler that
    /// waits for a callback does not count.</remarks>
    public int MaxConcurrentCalls { get; set; }

    /// <summary>Whether the calls of a connection run one after another, each after the previous one has been answered.
    /// Calls with a stream start in order, but do not delay those after them; nor does a handler that waits for a
    /// callback.</summary>
    public bool OrderedCalls { get; set; }

    /// <summary>How many items of a caller's stream may wait for the handler, 32 to 65535; then the caller waits.
    /// Default: 65535.</summary>
    /// <remarks>The caller also waits when 64 KiB wait here. This limit grows, up to 4 MiB, when the caller had to wait
    /// although the handler was waiting for items.</remarks>
    public int StreamWindow { get; set; } = ushort.MaxValue;

    /// <summary>Are called for every call; the first one is the outermost.</summary>
    public IList<RpcServerInterceptor> Interceptors { get; private set; } = new List<RpcServerInterceptor>();

    /// <summary>What the server remembers of calls of methods with <see cref="IpcOnceAttribute"/>. Default: for 10
    /// minutes, in memory.</summary>
    public RpcOnceOptions Once { get; set; } = new();

    /// <summary>Who may connect, for a name of the machine (<c>machine/NAME</c>). Default: programs of this
    /// user.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>Takes the name of a live server that was started with this too, and lets the next one take its own:
    /// then this server stops in good order, as <see cref="RpcServer.StopAsync(System.Threading.CancellationToken)"/>
    /// does, and <see cref="RpcServer.Completion"/> completes. So a new process is started beside the old one, and
    /// clients find a server all the time. Not with <see cref="RpcOnceOptions.Store"/>, which one server uses at a
    /// time. On Linux; elsewhere opening fails. Default: false.</summary>
    public bool TakeOver { get; set; }

    /// <summary>Accepts or refuses a client that wants to connect: return <see langword="null"/> to accept it, or the
    /// reason for a refusal. If it is not set, all clients are accepted.</summary>
    /// <remarks>It runs on the thread that reads all connections, so it must not block.</remarks>
    public Func<RpcPeer, string?>? Accept { get; set; }

    /// <summary>Gets the exceptions of handlers, and of decoding their requests, with stack traces, for a log. If it is
    /// not set, those that are not <see cref="RpcHandlerFailure.IsIntended"/> are written to
    /// <see cref="System.Diagnostics.Trace"/>. The event source "Ipc" has them in either case.</summary>
    /// <remarks>It runs on the thread on which the call ended, perhaps several times at once, and should not block. Its
    /// own exceptions are traced. Cancellations by the caller are not reported.</remarks>
    public Action<RpcHandlerFailure>? HandlerFailed { get; set; }

    /// <summary>Further serializers that clients may choose. Protobuf by the generated codecs is always supported,
    /// unless a serializer with format 0 replaces it.</summary>
    public IList<IpcSerializer> Serializers { get; private set; } = new List<IpcSerializer>();

    /// <summary>About what waking a thread takes. A connection whose requests hold up others for longer is given a
    /// thread of its own.</summary>
    internal TimeSpan LongTurn { get; set; } = TimeSpan.FromTicks(300); // 30 us

    /// <summary>An independent copy of the options.</summary>
    public RpcServerOptions Copy()
    {
        var copy = (RpcServerOptions)MemberwiseClone();
        copy.Interceptors = new List<RpcServerInterceptor>(Interceptors);
        copy.Serializers = new List<IpcSerializer>(Serializers);
        copy.Once = Once?.Copy()!; // null is refused when a server is opened
        return copy;
    }

    /// <summary>What handlers need to know of them.</summary>
    internal HostRules HandlerRules() => new()
    {
        PendingCallsOption = nameof(RpcServerOptions) + "." + nameof(MaxPendingCalls),
        MaxPendingCalls = MaxPendingCalls,
        HeldBytesOption = nameof(RpcServerOptions) + "." + nameof(MaxHeldBytes),
        MaxHeldBytes = MaxHeldBytes,
        MaxConcurrentCalls = MaxConcurrentCalls,
        MaxThreads = MaxThreads,
        OrderedCalls = OrderedCalls,
        StreamWindow = StreamWindow,
        HandlerFailed = HandlerFailed,
        Once = Once,
        Interceptors = [.. Interceptors],
        Serializers = [.. Serializers],
    };

    internal RpcServerOptions Checked()
    {
        if (MaxThreads < 2)
            throw new ArgumentOutOfRangeException(
                nameof(MaxThreads),
                MaxThreads,
                "A server needs at least two threads: one that leads and one that can take over.");
        if (MaxPendingCalls < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxPendingCalls), MaxPendingCalls, "At least one call has to be possible.");
        if (MaxUnsentBytes < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxUnsentBytes), MaxUnsentBytes, "At least one byte has to be allowed to wait.");
        if (MaxHeldBytes < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxHeldBytes), MaxHeldBytes, "At least one byte has to be allowed to wait.");
        if (MaxConcurrentCalls < 0)
            throw new ArgumentOutOfRangeException(
                nameof(MaxConcurrentCalls),
                MaxConcurrentCalls,
                "The number of concurrent calls is not negative; 0 is any number.");
        if (StreamWindow < FrameHeader.FirstClientCredit || StreamWindow > ushort.MaxValue)
            throw new ArgumentOutOfRangeException(
                nameof(StreamWindow), StreamWindow, "A stream window is 32 to 65535 items.");
        if (TakeOver && Once?.Store is not null)
            throw new InvalidOperationException(
                "A store of calls is used by one server at a time, and a server that takes over a name would begin " +
                    "while the other one still uses it: RpcServerOptions.TakeOver or Once.Store, not both.");
        RpcServerOptions copy = Copy();
        copy.Once = (Once ?? throw new InvalidOperationException("RpcServerOptions.Once is null.")).Checked();
        return copy;
    }
}
