using System;

namespace Ipc.Rpc;

/// <summary>How a call ended, as bytes: a response in the format of the call, or the body of an error.
/// Immutable.</summary>
internal sealed class OnceOutcome
{
    private const int HeadSize = 2; // status, refusal

    private readonly byte[] _bytes;

    private OnceOutcome(byte[] bytes) => _bytes = bytes;

    public RpcStatus Status => (RpcStatus)_bytes[0];

    public RpcOnceRefusal Refusal => (RpcOnceRefusal)_bytes[1];

    public ReadOnlyMemory<byte> Body => _bytes.AsMemory(HeadSize);

    /// <summary>All of it, for a store.</summary>
    public ReadOnlyMemory<byte> Bytes => _bytes;

    public int Length => _bytes.Length;

    public static OnceOutcome OfResponse(ReadOnlySpan<byte> message) => Make(RpcStatus.Ok, default, message);

    public static OnceOutcome OfError(RpcStatus status, in ErrorBody error, RpcOnceRefusal refusal = default)
        => Make(status, refusal, error.Encode(int.MaxValue));

    /// <summary>What a store kept, which may be anything.</summary>
    /// <returns><see langword="null"/> for what is no outcome.</returns>
    public static OnceOutcome? TryRead(ReadOnlyMemory<byte> bytes)
    {
        ReadOnlySpan<byte> head = bytes.Span;
        return head.Length >= HeadSize && head[0] <= (byte)RpcStatus.Unauthenticated &&
            head[1] <= (byte)RpcOnceRefusal.Interrupted && (head[0] != 0 || head[1] == 0)
                ? new OnceOutcome(bytes.ToArray())
                : null;
    }

    private static OnceOutcome Make(RpcStatus status, RpcOnceRefusal refusal, ReadOnlySpan<byte> body)
    {
        var bytes = new byte[HeadSize + body.Length];
        bytes[0] = (byte)status;
        bytes[1] = (byte)refusal;
        body.CopyTo(bytes.AsSpan(HeadSize));
        return new OnceOutcome(bytes);
    }
}
