using System;

namespace Ipc.Rpc;

/// <summary>A call or stream that waits for frames. Its methods are called by whichever thread reads the connection.</summary>
/// <remarks>Those that end it are called by whoever ended its slot, hence once. What they return, if not null, is what the
/// server did against the protocol.</remarks>
internal abstract class PendingCall
{
    private protected PendingCall(bool isAwaited) => IsAwaited = isAwaited;

    /// <summary>Whether no thread of its own waits for it, so that somebody else has to read.</summary>
    public bool IsAwaited { get; }

    /// <summary>Where it waits: set when a slot is reserved for it.</summary>
    public PendingSlot Slot { get; set; } = null!;

    /// <summary>Which use of the slot it is.</summary>
    public uint Use { get; set; }

    /// <summary>What is being called.</summary>
    public RpcMethod Method { get; set; } = null!;

    /// <summary>When it ends by itself; the largest number is never.</summary>
    public ulong Deadline { get; set; } = ulong.MaxValue;

    /// <summary>Its request is about to be published on <paramref name="channel"/>: frames may come at once.</summary>
    public virtual void OnSending(ClientChannel channel)
    {
    }

    /// <summary>It ended with a response.</summary>
    public abstract string? OnResponse(ReadOnlySpan<byte> body);

    /// <summary>It ended without one.</summary>
    public abstract void OnFailure(RpcFailure failure);

    /// <summary>It ended as a stream that is complete.</summary>
    public virtual string? OnEnd() => Wrong("end");

    /// <summary>An item came; the call goes on.</summary>
    public virtual string? OnItem(ReadOnlySpan<byte> body) => Wrong("item");

    /// <summary>Fails with, and returns, the description of a frame that does not belong to this kind of call.</summary>
    private protected string Wrong(string frame)
        => "A frame of kind " + frame + " came for a call to " + Method.FullName + ", which is " + Method.Kind + ".";

    private protected RpcFailure Undecodable(Exception e)
        => new(RpcStatus.Internal, "What the server sent for " + Method.FullName + " could not be decoded: " + e.Message, null, e);
}
