using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Tests;

/// <summary>A callee's connection without anybody at the other end: a test says what becomes of what is sent.</summary>
internal abstract class BareLink() : CalleeLink(0)
{
    public override RpcPeer Peer => throw new NotSupportedException();

    public override RpcCaller Caller => throw new NotSupportedException();

    public override WaitMode WaitMode => WaitMode.Block; // looks for no moment

    public override bool IsCongested => false;

    public override int MaxBody => 4096;

    public override Task Flushed() => Task.CompletedTask;

    public override void ReleaseRequest()
    {
    }

    public override void ReadOn()
    {
    }

    public override Task WhenRoom(int pause, CancellationToken cancellationToken) => throw new NotSupportedException();

    private protected override RpcFailure? SendMessage<T>(in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value) =>
        throw new NotSupportedException();

    private protected override RpcFailure? SendItem<T>(in FrameHeader header, RpcMethod method, MessageCodec<T> codec, in T value, out int length) =>
        throw new NotSupportedException();

    private protected override void SendSmall(FrameHeader header, byte[] body) => throw new NotSupportedException();
}
