using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>What a server allows and how it waits.</summary>
public sealed class RpcServerOptions
{
    /// <summary>How many clients may be connected at once.</summary>
    public int MaxConnections { get; set; } = 1023;

    /// <summary>The largest ring that a client may ask for, in bytes; one that asks for more is refused.</summary>
    public long MaxRingCapacity { get; set; } = 64L << 20;

    /// <summary>The largest loan budget that a client may ask for, in bytes for a direction; one that asks for more is
    /// refused.</summary>
    public long MaxLoanBudget { get; set; } = 1L << 30;

    /// <summary>Spin, sleep, or spin and then sleep (the default) while waiting for requests.</summary>
    public WaitMode WaitMode { get; set; } = WaitMode.Adaptive;

    /// <summary>How many threads there may be. With that many handlers blocked at once, nobody reads further
    /// requests.</summary>
    /// <remarks>Half of them for the handlers of one client: its further requests begin as these return.</remarks>
    public int MaxThreads { get; set; } = 256;

    /// <summary>How many calls and streams of one connection may be pending, from request to last answer; more fail
    /// with <see cref="RpcStatus.ResourceExhausted"/>.</summary>
    public int MaxPendingCalls { get; set; } = 65536;

    /// <summary>How many bytes of answers may wait in the server's memory for a client that does not read; 256 MiB
    /// unless set. One that lets more come together loses its connection.</summary>
    public long MaxUnsentBytes { get; set; } = 256L << 20;

    /// <summary>How many bytes the requests of one connection may take that have been read and wait for their turn, by
    /// <see cref="MaxConcurrentCalls"/>, <see cref="OrderedCalls"/> or the share of <see cref="MaxThreads"/>; 64 MiB
    /// unless set. While more wait, the next fail with <see cref="RpcStatus.ResourceExhausted"/>.</summary>
    /// <remarks>A request counts as it came, and the one that goes beyond still waits. What runs does not
    /// count.</remarks>
    public long MaxHeldBytes { get; set; } = 64L << 20;

    /// <summary>How many calls may run at once, streams among them; 0, as it is unless set, for any number. Further
    /// requests wait, in order of arrival, without an error.</summary>
    /// <remarks>They wait in the ring of their connection, and its client with them, as long as no other call of it
    /// runs; else in the server's memory, at most <see cref="MaxPendingCalls"/> and <see cref="MaxHeldBytes"/>. A
    /// handler that waits for a callback does not count.</remarks>
    public int MaxConcurrentCalls { get; set; }

    /// <summary>Whether the calls of a connection are handled one after another, each when the one before has been
    /// answered. Calls with a stream begin in their turn and do not hold up those after them; nor does a handler that
    /// waits for a callback.</summary>
    public bool OrderedCalls { get; set; }

    /// <summary>How many items of one caller's stream may wait to be consumed, 32 to 65535, which it is unless set.
    /// Beyond that the caller waits.</summary>
    /// <remarks>Whatever is set, it waits also when 64 KiB are waiting here. These become more, up to 4 MiB, when it is
    /// seen that a handler waits for them to.</remarks>
    public int StreamWindow { get; set; } = ushort.MaxValue;

    /// <summary>Look at every call, the first one outermost.</summary>
    public IList<RpcServerInterceptor> Interceptors { get; private set; } = new List<RpcServerInterceptor>();

    /// <summary>Decides about a client that wants to connect: <see langword="null"/> accepts it, a text refuses it with
    /// that text. Accepts all unless set.</summary>
    /// <remarks>It runs on the thread that serves everybody: it has to be quick.</remarks>
    public Func<RpcPeer, string?>? Accept { get; set; }

    /// <summary>Told of what handlers, and decoders of their requests, have thrown, with its stack: for a log. Where it
    /// is not set, <see cref="System.Diagnostics.Trace"/> is told of everything that is not
    /// <see cref="RpcHandlerFailure.IsIntended"/>. The event source "Ipc" has it in either case.</summary>
    /// <remarks>It runs where the call ended, any number at once, and should be quick. What it throws is traced and
    /// goes no further. Cancellations that the caller wanted are not told.</remarks>
    public Action<RpcHandlerFailure>? HandlerFailed { get; set; }

    /// <summary>Further formats that requests may be written in. Protobuf by the generated codecs is there without
    /// being named, unless a serializer of format 0 is.</summary>
    public IList<IpcSerializer> Serializers { get; private set; } = new List<IpcSerializer>();

    /// <summary>About what waking a thread takes. A connection whose requests hold up others for longer is given a
    /// thread of its own.</summary>
    internal TimeSpan LongTurn { get; set; } = TimeSpan.FromTicks(300); // 30 us

    /// <summary>The same options once more: what is set, or added, in one of the two is not in the other.</summary>
    public RpcServerOptions Copy()
    {
        var copy = (RpcServerOptions)MemberwiseClone();
        copy.Interceptors = new List<RpcServerInterceptor>(Interceptors);
        copy.Serializers = new List<IpcSerializer>(Serializers);
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
        return Copy();
    }
}
