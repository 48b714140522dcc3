using System;
using System.Threading;

namespace Ipc.Rpc;

/// <content>What is sent by code that is called while a message is written into the ring.</content>
/// <remarks>A property of a message may complete a task whose continuation answers another call, or read an item that
/// gives credit. The ring has room for one message at a time; so that goes to the outbox, behind the one in
/// hand.</remarks>
internal sealed partial class ServerConnection
{
    /// <summary>Whether the present thread, which has the write lock, is writing a message.</summary>
    public bool IsEncoding => _builder.IsEncoding;

    /// <summary>Whether the present thread has the write lock.</summary>
    public bool IsWrittenHere => Monitor.IsEntered(_write);

    private RpcFailure? EncodeNested<T>(
        in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value)
    {
        byte[] frame;
        try
        {
            var target = new GrowingBuffer(256);
            var writer = new ProtoWriter(target.Bytes, target);
            codec.Write(ref writer, in value);
            int start = FrameHeader.Size + (head?.Length ?? 0);
            frame = new byte[start + writer.Written];
            header.WriteTo(frame);
            head?.CopyTo(frame, FrameHeader.Size);
            target.Bytes.AsSpan(0, writer.Written).CopyTo(frame.AsSpan(start));
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            return CannotEncode(method, e);
        }

        if (frame.Length > _builder.MaxFrame)
            return TooLarge(
                method, frame.Length, _builder.MaxFrame, "Connect with a larger RpcClientOptions.LoanBudget.");
        Enqueue(frame);
        return null;
    }
}
