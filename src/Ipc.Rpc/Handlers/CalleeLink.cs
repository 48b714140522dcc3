using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>What the callee of a connection needs of it, in either role: to answer, and to know who is on the other
/// side.</summary>
internal abstract class CalleeLink
{
    private static readonly MessageCodec<ReadOnlyMemory<byte>> _encoded = new(
        string.Empty,
        static (ref ProtoWriter writer, in ReadOnlyMemory<byte> message) => writer.WriteRaw(message.Span),
        static (ref ProtoReader _) => throw new NotSupportedException());

    [ThreadStatic]
    private static CalleeLink? _inline;

    private readonly byte _flags; // of every frame about a call of the other side

    private protected CalleeLink(byte flags) => _flags = flags;

    /// <summary>Whether this thread is in an inline handler, and so keeps everybody from reading.</summary>
    public static bool IsInline => _inline is not null;

    /// <summary>The connection whose inline handler this thread is in.</summary>
    public static CalleeLink? InlineHere => _inline;

    /// <summary>Who calls.</summary>
    public abstract RpcPeer Peer { get; }

    /// <summary>Calls the other side back.</summary>
    public abstract RpcCaller Caller { get; }

    /// <summary>How its threads wait.</summary>
    public abstract WaitMode WaitMode { get; }

    /// <summary>More has been sent than the other side had room for.</summary>
    public abstract bool IsCongested { get; }

    /// <summary>How many bytes a frame without a message can have behind its header.</summary>
    public abstract int MaxBody { get; }

    /// <summary>Completes when the other side has made room for everything that was sent, or the connection is
    /// over.</summary>
    public abstract Task Flushed();

    /// <summary>The frame that is being read has been decoded: its place in the ring is free.</summary>
    public abstract void ReleaseRequest();

    /// <summary>The request that is being read, and all that come behind it, are handled by nobody. Before it is
    /// released.</summary>
    public virtual void NoteEnding()
    {
    }

    /// <summary>A call that was held has begun: there may be a reason less not to read on.</summary>
    public abstract void ReadOn();

    /// <summary>An inline handler begins, or with <see langword="null"/> or what this returned before, ends.</summary>
    public static CalleeLink? SwapInline(CalleeLink? link)
    {
        CalleeLink? before = _inline;
        _inline = link;
        return before;
    }

    /// <summary>Sends a response or a report of progress.</summary>
    /// <returns>Why that is not possible, if it is not: then nothing was sent. A connection that is over is no
    /// reason.</returns>
    [MethodImpl(Tiering.Optimized)]
    public RpcFailure? Send<T>(FrameKind kind, ServerCall call, MessageCodec<T> codec, in T value)
    {
        if (call.Header.IsOneWay)
            return null;

        byte[]? head = null;
        if (kind == FrameKind.Response && call.ResponseMetadata is not null &&
            TryEncodeHead(call, out head) is { } wrong)
        {
            return new RpcFailure(RpcStatus.Internal, wrong);
        }

        MessageCodec<T> chosen;
        try
        {
            chosen = call.CodecFor(codec);
        }
#pragma warning disable CA1031 // a serializer that cannot is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            return CannotEncode(call.Handler.Method, e);
        }

        var header = new FrameHeader(kind, call.Header.Call, flags: FlagsWith(head));
        return SendMessage(in header, head, call.Handler.Method, chosen, in value);
    }

    /// <summary>Sends a response that has been encoded.</summary>
    /// <returns>As <see cref="Send"/>.</returns>
    public RpcFailure? SendEncoded(ServerCall call, ReadOnlyMemory<byte> message)
    {
        if (TryEncodeHead(call, out byte[]? head) is { } wrong)
            return new RpcFailure(RpcStatus.Internal, wrong);
        var header = new FrameHeader(FrameKind.Response, call.Header.Call, flags: FlagsWith(head));
        return SendMessage(in header, head, call.Handler.Method, _encoded, in message);
    }

    /// <summary>Sends an item of the answer, if there is room for it now: items wait where they are made.</summary>
    /// <param name="call">Whose answer it belongs to; it has credit.</param>
    /// <param name="codec">Writes the item.</param>
    /// <param name="value">The item.</param>
    /// <param name="sent">Whether it was; if not, <see cref="WhenRoom"/> says when to try again.</param>
    /// <returns>As <see cref="Send"/>.</returns>
    [MethodImpl(Tiering.Optimized)]
    public RpcFailure? SendItem<T>(ServerCall call, MessageCodec<T> codec, in T value, out bool sent)
    {
        StreamCredit credit = call.Credit!;
        var header = new FrameHeader(
            FrameKind.Item, call.Header.Call, credit.HasWaited ? FlowRules.Waited : (ushort)0, flags: _flags);
        RpcFailure? failure = SendItem(in header, call.Handler.Method, call.CodecFor(codec), in value, out int length);
        sent = length != 0;
        if (sent)
            credit.Charge(FlowRules.CostOf(length));
        return failure;
    }

    /// <summary>Completes when an item that was not sent may be tried again.</summary>
    /// <param name="pause">How long to wait at most for a reason that nobody tells of, in milliseconds.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public abstract Task WhenRoom(int pause, CancellationToken cancellationToken);

    /// <summary>Ends a stream.</summary>
    public void SendEnd(ServerCall call)
    {
        string? wrong = TryEncodeHead(call, out byte[]? head);
        if (wrong is null)
            SendSmall(
                new FrameHeader(FrameKind.End, call.Header.Call, flags: FlagsWith(head)), head ?? Array.Empty<byte>());
        else
            Refuse(call.Header, RpcStatus.Internal, wrong);
    }

    /// <summary>Ends a call with an error.</summary>
    /// <param name="call">The call.</param>
    /// <param name="status">Why.</param>
    /// <param name="error">The same, in words.</param>
    /// <param name="method">What the header says besides; 0 for nothing.</param>
    public void SendError(ServerCall call, RpcStatus status, ErrorBody error, uint method = 0)
    {
        if (call.Header.IsOneWay)
            return;

        string? wrong = TryEncodeHead(call, out byte[]? head);
        if (wrong is not null)
            error = new ErrorBody(
                error.Type, error.Text + " (Its metadata was left out: " + wrong + ")", error.Details);
        if (head is not null && head.Length > MaxBody / 2)
            head = null; // the error itself matters more
        byte[] body = Encode(error, MaxBody - (head?.Length ?? 0));
        SendSmall(
            new FrameHeader(FrameKind.Error, call.Header.Call, (ushort)status, method, flags: FlagsWith(head)),
            head is null ? body : Join(head, body));
    }

    /// <summary>Answers a request that no call was made of.</summary>
    /// <param name="request">The request.</param>
    /// <param name="status">Why.</param>
    /// <param name="text">The same, in words.</param>
    /// <param name="method">What the header says besides: that this side is ending and the request may be made again,
    /// or why it is not executed once; 0 for nothing.</param>
    public void Refuse(in FrameHeader request, RpcStatus status, string text, uint method = 0)
    {
        if (!request.IsOneWay)
            SendSmall(
                new FrameHeader(
                    FrameKind.Error,
                    request.Call,
                    (ushort)status,
                    method,
                    flags: _flags),
                new ErrorBody(null, text).Encode(MaxBody));
    }

    /// <summary>Lets the caller send so much more of its stream.</summary>
    public void SendCredit(ServerCall call, ItemCredit more) =>
        SendSmall(more.FrameFor(call.Header.Call, _flags), Array.Empty<byte>());

    /// <summary>Sends a frame with a message.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="head">What goes between header and message; <see langword="null"/> for nothing.</param>
    /// <param name="method">What was called.</param>
    /// <param name="codec">Writes the message.</param>
    /// <param name="value">The message.</param>
    /// <returns>As <see cref="Send"/>.</returns>
    private protected abstract RpcFailure? SendMessage<T>(
        in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value);

    /// <summary>Sends an item if there is room.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="method">What was called.</param>
    /// <param name="codec">Writes the item.</param>
    /// <param name="value">The item.</param>
    /// <param name="length">Of its frame; 0 when there was no room.</param>
    /// <returns>As <see cref="Send"/>.</returns>
    private protected abstract RpcFailure? SendItem<T>(
        in FrameHeader header, RpcMethod method, MessageCodec<T> codec, in T value, out int length);

    /// <summary>Sends a frame without a message.</summary>
    private protected abstract void SendSmall(FrameHeader header, byte[] body);

    private protected static RpcFailure CannotEncode(RpcMethod method, Exception e)
        => new(
            RpcStatus.Internal,
            "What " + method.FullName + " returned cannot be encoded: " + ErrorText.Of(e),
            inner: e);

    private protected static RpcFailure TooLarge(RpcMethod method, int length, int most, string remedy)
        => new(
            RpcStatus.ResourceExhausted,
            "What " + method.FullName + " returned takes " + length +
                " bytes; the connection to the caller carries at most " + most + ". " + remedy);

    /// <summary>Its details are memory of the user's, whose owner may have taken it back.</summary>
    private static byte[] Encode(ErrorBody error, int limit)
    {
        try
        {
            return error.Encode(limit);
        }
#pragma warning disable CA1031 // the error itself matters more
        catch (Exception e)
#pragma warning restore CA1031
        {
            return new ErrorBody(
                error.Type, error.Text + " (Its details were left out: " + ErrorText.Of(e) + ")").Encode(limit);
        }
    }

    private static string? TryEncodeHead(ServerCall call, out byte[]? head)
    {
        head = null;
        if (call.ResponseMetadata is not { Count: not 0 } metadata)
            return null;

        try
        {
            head = new CallHead { Metadata = metadata }.Encode();
            return null;
        }
        catch (RpcCallException e)
        {
            return e.Message;
        }
    }

    private byte FlagsWith(byte[]? head) => head is null ? _flags : (byte)(_flags | FrameFlags.Head);

    private static byte[] Join(byte[] head, byte[] body)
    {
        var joined = new byte[head.Length + body.Length];
        head.CopyTo(joined, 0);
        body.CopyTo(joined, head.Length);
        return joined;
    }
}
