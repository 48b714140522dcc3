using System;
using System.Runtime.CompilerServices;

namespace Ipc.Rpc;

/// <summary>What the calls of one view of a client have in common. Immutable.</summary>
internal sealed class CallSetup
{
    public static readonly CallSetup Default = new();

    private byte[]? _head; // encoded once

    /// <summary>Of the client that the calls are made on: a call that is pending keeps it. Not of callbacks.</summary>
    public ClientLease? Lease { get; private set; }

    /// <summary>How long a unary call may take.</summary>
    public TimeSpan Timeout { get; private set; } = System.Threading.Timeout.InfiniteTimeSpan;

    /// <summary>When a call or stream ends by itself at the latest.</summary>
    public Deadline Until { get; private set; } = Deadline.Never;

    /// <summary>How messages are written.</summary>
    public CallFormat Format { get; private set; } = CallFormat.Generated;

    /// <summary>What travels with each request; not to be changed.</summary>
    public RpcMetadata? Metadata { get; private set; }

    /// <summary>The id that calls are executed once under; <see langword="null"/>: each call has a new one.</summary>
    public RpcOnceId? GivenOnce { get; private set; }

    /// <summary>Of one attempt: the id that its request has.</summary>
    public ReadOnlyMemory<byte> Once { get; private set; }

    /// <summary>Who wants to know the metadata of answers.</summary>
    public Action<RpcMetadata>? Answer { get; private set; }

    /// <summary>Whether the requests may wait in whatever number: they were accepted before, and their callers wait for
    /// a server with them.</summary>
    public bool MayExceed { get; private set; }

    public CallSetup WithLease(ClientLease lease)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.Lease = lease;
        return copy;
    }

    public CallSetup WithTimeout(TimeSpan timeout)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.Timeout = timeout;
        return copy;
    }

    /// <summary>For a call that is made again because there was no server.</summary>
    public CallSetup Exceeding()
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.MayExceed = true;
        return copy;
    }

    public CallSetup WithDeadline(Deadline until)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.Until = until;
        return copy;
    }

    public CallSetup WithGivenOnce(RpcOnceId id)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.GivenOnce = id;
        return copy;
    }

    /// <summary>For one attempt of a call that is executed once.</summary>
    public CallSetup WithOnce(RpcOnceId id)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.Once = id.ToBytes();
        copy._head = copy.EncodeHead();
        return copy;
    }

    /// <exception cref="RpcCallException">The metadata is longer than a head may be.</exception>
    public CallSetup WithMetadata(RpcMetadata metadata)
    {
        var own = new RpcMetadata();
        foreach (System.Collections.Generic.KeyValuePair<string, ReadOnlyMemory<byte>> entry in metadata)
            own.AddReceived(entry.Key, entry.Value.ToArray());

        var copy = (CallSetup)MemberwiseClone();
        copy.Metadata = own.Count == 0 ? null : own;
        copy._head = copy.EncodeHead();
        return copy;
    }

    public CallSetup WithFormat(CallFormat format)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.Format = format;
        copy._head = copy.EncodeHead();
        return copy;
    }

    public CallSetup WithAnswer(Action<RpcMetadata> answer)
    {
        var copy = (CallSetup)MemberwiseClone();
        copy.Answer = answer;
        return copy;
    }

    /// <summary>The head of the next request; <see langword="null"/> for none.</summary>
    [MethodImpl(Tiering.Optimized)]
    public byte[]? ComposeHead()
    {
        if (!RpcTelemetry.IsOn)
            return _head;

        CallHead? head = null;
        TraceContext.AddTo(ref head);
        return head is null ? _head : EncodeHead(head);
    }

    /// <summary>When a unary call that is made now ends by itself.</summary>
    [MethodImpl(Tiering.Optimized)]
    public Deadline CallDeadline() =>
        Timeout == System.Threading.Timeout.InfiniteTimeSpan
            ? Until
            : Deadline.Earlier(Until, Deadline.After(Timeout));

    /// <summary>Tells who wants to know what came with the answer, if one came. On the thread that takes the
    /// result.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Tell(PendingCall call)
    {
        if (Answer is { } answer && call.IsAnswered)
            Tell(answer, call.AnswerMetadata ?? new RpcMetadata());
    }

    /// <summary>What the receiver throws may look like a failure after which a call is made again: the call has been
    /// answered.</summary>
    private static void Tell(Action<RpcMetadata> answer, RpcMetadata metadata)
    {
        try
        {
            answer(metadata);
        }
        catch (RpcCallException e)
        {
            e.IsOfCaller = true;
            throw;
        }
    }

    private byte[]? EncodeHead(CallHead? head = null)
    {
        if (head is null && Metadata is null && Format.HeadName is null && Once.IsEmpty)
            return null;

        head ??= new CallHead();
        head.Metadata = Metadata;
        head.Format = Format.HeadName;
        head.Once = Once;
        return head.Encode();
    }
}
