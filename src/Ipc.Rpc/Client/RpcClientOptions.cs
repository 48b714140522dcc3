using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Options of a client.</summary>
public sealed class RpcClientOptions
{
    /// <summary>How long <see cref="RpcClient.Connect"/> waits for a server to exist and to answer. Default: 5
    /// seconds.</summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long a unary call may take. <see cref="RpcClient.WithTimeout"/> sets another timeout for a view of
    /// the client. Default: no limit.</summary>
    public TimeSpan CallTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>Whether to spin, to sleep, or to spin and then sleep (the default) while waiting for a reply.</summary>
    public WaitMode WaitMode { get; set; } = WaitMode.Adaptive;

    /// <summary>Size of the ring for requests, in bytes: a power of two. Requests longer than nearly half of it use the
    /// loan budget.</summary>
    public long ToServerCapacity { get; set; } = 256 * 1024;

    /// <summary>Size of the ring for responses and items, in bytes: a power of two. Those longer than nearly half of it
    /// use the loan budget. Items of streams may take three eighths of it, all streams together, so it is the larger
    /// one.</summary>
    public long ToClientCapacity { get; set; } = 512 * 1024;

    /// <summary>Memory in bytes for long messages, for each direction: the limit for all of them together, and so for
    /// one. 0: long messages are refused. It is allocated when it is needed. Default: 256 MiB; 8 MiB in a process of 32
    /// bits.</summary>
    public long LoanBudget { get; set; } = new ConnectOptions().LoanBudget;

    /// <summary>How many items of a stream may wait here for its consumer, 1 to 65535; then the server's producer
    /// waits. Default: 65535.</summary>
    /// <remarks>The producer also waits when 64 KiB wait here. This limit grows, up to 4 MiB, when the producer had to
    /// wait although the consumer was waiting for items.</remarks>
    public int StreamWindow { get; set; } = ushort.MaxValue;

    /// <summary>How many calls and streams may be pending at once; further ones fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>.</summary>
    public int MaxPendingCalls { get; set; } = 65536;

    /// <summary>Whether a call reconnects after the server died or closed. Default:
    /// <see langword="true"/>.</summary>
    /// <remarks>A synchronous call that a server did not handle before it stopped in good order is then made again of
    /// the next one, if that comes within <see cref="ConnectTimeout"/>; an asynchronous one with
    /// <see cref="WaitForReady"/> or <see cref="Retry"/>.</remarks>
    public bool AutoReconnect { get; set; } = true;

    /// <summary>Whether a call without a server waits for one, as long as its deadline and token allow. By default it
    /// fails at once with <see cref="RpcStatus.Unavailable"/>. If a server refuses the client, the call fails at
    /// once in any case.</summary>
    /// <remarks>A call that a server did not handle before it stopped in good order waits so, too, and is made again
    /// (not streams, and not calls with a stream or with progress). So do not change the request of an asynchronous
    /// call before the call has ended.</remarks>
    public bool WaitForReady { get; set; }

    /// <summary>Which failed calls are repeated. Default: none.</summary>
    public RpcRetryPolicy? Retry { get; set; }

    /// <summary>Data by which the server may decide whether to accept; at most 240 bytes.</summary>
    public ReadOnlyMemory<byte> Hello { get; set; }

    /// <summary>Whose server it may be, for a name of the machine (<c>machine/NAME</c>). Default: this user's or
    /// root's.</summary>
    public Access Access { get; set; } = Access.User;

    /// <summary>The serializer of the messages. Default: <see langword="null"/>, protobuf by the generated codecs. If
    /// the server does not support it (<see cref="RpcServerOptions.Serializers"/>), calls fail with
    /// <see cref="RpcStatus.Unimplemented"/>.</summary>
    public IpcSerializer? Serializer { get; set; }

    /// <summary>How many bytes of requests may wait in this process for a server that does not read, or for a
    /// connection. An asynchronous call never blocks its caller's thread: if there is no room in the ring, or no
    /// connection, its request is queued, in order. Beyond this limit it fails with
    /// <see cref="RpcStatus.ResourceExhausted"/>; one request may always wait for a connection, and so may those that
    /// are made again for want of a server (<see cref="WaitForReady"/>): they were accepted before. Synchronous calls
    /// block instead. Default: 16 MiB.</summary>
    public long MaxQueuedBytes { get; set; } = 16 << 20;

    /// <summary>How many bytes other than requests, mainly answers to callbacks, may wait in this process for a server
    /// that does not read. When there are more, the connection ends and its calls fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>. Default: 256 MiB.</summary>
    public long MaxUnsentBytes { get; set; } = 256L << 20;

    /// <summary>Services that the server may call back over the same connection. Their handlers run on threads of the
    /// client; inline ones (<see cref="RpcHandler.Inline"/>) on the thread that reads the connection.</summary>
    public IList<RpcService> Services { get; private set; } = new List<RpcService>();

    /// <summary>Whether callbacks run one after another, in the order of the server's calls; see
    /// <see cref="RpcServerOptions.OrderedCalls"/>.</summary>
    public bool OrderedCallbacks { get; set; }

    /// <summary>As <see cref="RpcServerOptions.MaxHeldBytes"/>, for callbacks that wait for earlier ones or for a
    /// thread. Default: 64 MiB.</summary>
    public long MaxHeldBytes { get; set; } = 64L << 20;

    /// <summary>As <see cref="RpcServerOptions.HandlerFailed"/>, for handlers of <see cref="Services"/>.</summary>
    public Action<RpcHandlerFailure>? CallbackFailed { get; set; }

    /// <summary>Creates the interceptors that wrap every call of the client; the first one is the outermost. Each
    /// function gets the caller to which its interceptor passes calls on. They are called again for every view of the
    /// client, such as <see cref="RpcClient.WithTimeout"/>.</summary>
    public IList<Func<RpcCaller, RpcCaller>> Interceptors { get; private set; } =
        new List<Func<RpcCaller, RpcCaller>>();

    internal RpcClientOptions Checked()
    {
        if (StreamWindow < 1 || StreamWindow > ushort.MaxValue)
            throw new ArgumentOutOfRangeException(
                nameof(StreamWindow), StreamWindow, "A stream window is 1 to 65535 items.");
        if (MaxPendingCalls < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxPendingCalls), MaxPendingCalls, "At least one call has to be possible.");
        if (CallTimeout < TimeSpan.Zero && CallTimeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(CallTimeout), CallTimeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        if (ConnectTimeout < TimeSpan.Zero && ConnectTimeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(ConnectTimeout),
                ConnectTimeout,
                "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        if (MaxUnsentBytes < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxUnsentBytes), MaxUnsentBytes, "At least one byte has to be allowed to wait.");
        if (MaxHeldBytes < 1)
            throw new ArgumentOutOfRangeException(
                nameof(MaxHeldBytes), MaxHeldBytes, "At least one byte has to be allowed to wait.");
        if (MaxQueuedBytes < 0)
            throw new ArgumentOutOfRangeException(
                nameof(MaxQueuedBytes), MaxQueuedBytes, "What may wait is not negative; 0 lets nothing wait.");
        RpcClientOptions copy = Copy();
        copy.Retry = Retry?.Checked();
        return copy;
    }

    /// <summary>An independent copy of the options.</summary>
    public RpcClientOptions Copy()
    {
        var copy = (RpcClientOptions)MemberwiseClone();
        copy.Services = new List<RpcService>(Services);
        copy.Interceptors = new List<Func<RpcCaller, RpcCaller>>(Interceptors);
        return copy;
    }
}
