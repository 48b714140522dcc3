using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// A client's answers to callbacks must never wait: an inline handler runs on the thread that reads, and others may be
// what a thread that reads waits for. So an answer is encoded into an array and left in the queue of small frames, from
// which whoever holds the write lock sends it. What can be in that queue is bounded by the server: by the calls that it
// makes and the credit that it gives.

/// <summary>A client's channel as the callbacks that are handled on it see it.</summary>
internal sealed class ClientCalleeLink : CalleeLink
{
    private const int FirstGuess = 256;
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(1);

    private readonly ClientChannel _channel;

    public ClientCalleeLink(ClientChannel channel, int streamWindow)
        : base(FrameFlags.Callback)
    {
        _channel = channel;
        Peer = new RpcPeer(channel.ServerProcessId, channel.ServerUserId, ReadOnlyMemory<byte>.Empty);
        Caller = new RouteCaller(new FixedRoute(channel.Engine, streamWindow), CallSetup.Default);
    }

    public override RpcPeer Peer { get; }

    public override RpcCaller Caller { get; }

    /// <summary>Whose frames these are.</summary>
    public ClientChannel Channel => _channel;

    public override WaitMode WaitMode => _channel.WaitMode;

    public override bool IsCongested => _channel.HasBacklog;

    public override int MaxBody => _channel.Builder.MaxFrame - FrameHeader.Size;

    public override async Task Flushed()
    {
        // As in ServerConnection.FlushAsync: a ring tells only a sleeping thread that it has room, and none may sleep
        // here.
        while (_channel.HasBacklog && _channel.Ended is null)
            await Task.Delay(_pause).ConfigureAwait(false);
    }

    public override void ReleaseRequest()
    {
        // Whoever reads does it when the frame has been handled.
    }

    public override void ReadOn()
    {
        // A client never stops reading.
    }

    public override async Task WhenRoom(int pause, CancellationToken cancellationToken)
    {
        if (!_channel.HasBacklog && !_channel.Transit.HasRoom)
            await _channel.Transit.WhenRoom(cancellationToken).ConfigureAwait(false);
        else
            await Task.Delay(pause, cancellationToken).ConfigureAwait(false);
    }

    private protected override RpcFailure? SendItem<T>(
        in FrameHeader header, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
    {
        length = 0;
        if (_channel.HasBacklog || !_channel.Transit.HasRoom)
            return null;

        RpcFailure? failure = SendMessage(in header, null, method, codec, in value, out int body);
        if (failure is null)
            length = FrameHeader.Size + body;
        return failure;
    }

    private protected override RpcFailure? SendMessage<T>(
        in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value)
        => SendMessage(in header, head, method, codec, in value, out _);

    private RpcFailure? SendMessage<T>(
        in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
    {
        length = 0;
        if (_channel.Ended is not null)
            return null;

        int start = head?.Length ?? 0;
        byte[] body;
        try
        {
            var target = new GrowingBuffer(FirstGuess);
            var writer = new ProtoWriter(target.Bytes, target);
            codec.Write(ref writer, in value);
            body = new byte[start + writer.Written];
            target.Bytes.AsSpan(0, writer.Written).CopyTo(body.AsSpan(start));
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            return CannotEncode(method, e);
        }

        if (body.Length > MaxBody)
            return TooLarge(
                method,
                FrameHeader.Size + body.Length,
                _channel.Builder.MaxFrame,
                "Connect with a larger RpcClientOptions.LoanBudget.");
        head?.CopyTo(body, 0);
        length = body.Length;
        _channel.SendControl(header, body);
        return null;
    }

    private protected override void SendSmall(FrameHeader header, byte[] body) => _channel.SendControl(header, body);
}
