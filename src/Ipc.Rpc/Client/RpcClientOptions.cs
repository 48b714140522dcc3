using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>How a client connects and calls.</summary>
public sealed class RpcClientOptions
{
    /// <summary>How long <see cref="RpcClient.Connect"/> waits for a server to be there and to answer; 5 seconds unless
    /// set.</summary>
    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long a unary call may take; no limit unless set. <see cref="RpcClient.WithTimeout"/> sets another
    /// one.</summary>
    public TimeSpan CallTimeout { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>Spin, sleep, or spin and then sleep (the default) while waiting for a reply.</summary>
    public WaitMode WaitMode { get; set; } = WaitMode.Adaptive;

    /// <summary>Bytes of the ring that carries requests, a power of two. Requests longer than nearly half of it take
    /// memory of the loan budget.</summary>
    public long ToServerCapacity { get; set; } = 256 * 1024;

    /// <summary>Bytes of the ring that carries responses and items, a power of two. Those longer than nearly half of it
    /// take memory of the loan budget.</summary>
    public long ToClientCapacity { get; set; } = 256 * 1024;

    /// <summary>For each direction: bytes of long messages that may be under way at one time, and that one message can
    /// have; 256 MiB unless set, 0 for no long messages. Memory is taken when it is needed.</summary>
    public long LoanBudget { get; set; } = 256 << 20;

    /// <summary>How many items of one stream may wait here to be consumed, 1 to 65535, which it is unless set. Beyond
    /// that the server's producer waits.</summary>
    /// <remarks>Whatever is set, it waits also when 64 KiB are waiting here. These become more, up to 4 MiB, when it is
    /// seen that a consumer waits for them to.</remarks>
    public int StreamWindow { get; set; } = ushort.MaxValue;

    /// <summary>How many calls and streams may be pending at once; more fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>.</summary>
    public int MaxPendingCalls { get; set; } = 65536;

    /// <summary>Whether a call connects again after the server died or closed; <see langword="true"/> unless
    /// set.</summary>
    public bool AutoReconnect { get; set; } = true;

    /// <summary>Whether a call waits for a server to be there, as long as its deadline and token let it; unless set, it
    /// fails at once with <see cref="RpcStatus.Unavailable"/>. A server that refuses is not waited for.</summary>
    public bool WaitForReady { get; set; }

    /// <summary>Which failed calls are made again; none unless set.</summary>
    public RpcRetryPolicy? Retry { get; set; }

    /// <summary>Up to 240 bytes for the server's decision whether to accept.</summary>
    public ReadOnlyMemory<byte> Hello { get; set; }

    /// <summary>How messages are written; <see langword="null"/>, as it is unless set, for protobuf by the generated
    /// codecs. The server has to have it too (<see cref="RpcServerOptions.Serializers"/>), or calls fail with
    /// <see cref="RpcStatus.Unimplemented"/>.</summary>
    public IpcSerializer? Serializer { get; set; }

    /// <summary>How many bytes of requests may wait in this process for a server that does not read, or for a
    /// connection; 16 MiB unless set. An asynchronous call never waits on its caller's thread: what finds no room in
    /// the ring, or no connection, is queued, in order, and beyond this the call fails with
    /// <see cref="RpcStatus.ResourceExhausted"/>; one may always wait for a connection. Synchronous calls wait
    /// instead.</summary>
    public long MaxQueuedBytes { get; set; } = 16 << 20;

    /// <summary>How many bytes may wait in this process for a server that does not read, requests apart: answers to its
    /// callbacks, above all; 256 MiB unless set. When more come together, the connection ends and its calls fail with
    /// <see cref="RpcStatus.ResourceExhausted"/>.</summary>
    public long MaxUnsentBytes { get; set; } = 256L << 20;

    /// <summary>What the server may call back on the same connection. Handlers run on threads of the client's own,
    /// inline ones (<see cref="RpcHandler.Inline"/>) on the thread that reads.</summary>
    public IList<RpcService> Services { get; private set; } = new List<RpcService>();

    /// <summary>Whether callbacks are handled one after another, in the order of the server's calls; see
    /// <see cref="RpcServerOptions.OrderedCalls"/>.</summary>
    public bool OrderedCallbacks { get; set; }

    /// <summary>As <see cref="RpcServerOptions.MaxHeldBytes"/>, for callbacks that wait for their turn or for a thread;
    /// 64 MiB unless set.</summary>
    public long MaxHeldBytes { get; set; } = 64L << 20;

    /// <summary>As <see cref="RpcServerOptions.HandlerFailed"/>, for handlers of <see cref="Services"/>.</summary>
    public Action<RpcHandlerFailure>? CallbackFailed { get; set; }

    /// <summary>What stands around every call of the client, the first one outermost: each gets the caller that it
    /// passes calls on to. They are asked anew for every view of the client, such as
    /// <see cref="RpcClient.WithTimeout"/>.</summary>
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
                nameof(CallTimeout), CallTimeout, "A time limit is not negative; Timeout.InfiniteTimeSpan is none.");
        if (ConnectTimeout < TimeSpan.Zero && ConnectTimeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(ConnectTimeout),
                ConnectTimeout,
                "A time limit is not negative; Timeout.InfiniteTimeSpan is none.");
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

    /// <summary>The same options once more: what is set, or added, in one of the two is not in the other.</summary>
    public RpcClientOptions Copy()
    {
        var copy = (RpcClientOptions)MemberwiseClone();
        copy.Services = new List<RpcService>(Services);
        copy.Interceptors = new List<Func<RpcCaller, RpcCaller>>(Interceptors);
        return copy;
    }
}
