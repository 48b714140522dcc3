using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>The call that a handler runs for.</summary>
/// <remarks>
/// A synchronous handler finds it on its own thread, an asynchronous one wherever its tasks continue. Its properties
/// may be read after the call has ended; metadata added then is not sent.
/// </remarks>
public sealed class RpcContext
{
    private const int Asked = 1;
    private const int Parted = 2;

    private readonly ServerCall _call;
    private readonly Callee _callee;
    private RpcMetadata? _request;
    private RpcMetadata? _response; // [made]
    private int _token; // whether the call's has been asked for, or cannot be any more

    internal RpcContext(ServerCall call)
    {
        _call = call;
        _callee = call.Callee;
        _request = call.Head?.Metadata;
        Method = call.Handler.Method;
        Moment = call.Header.Deadline;
        Turns = call.Turns;
    }

    /// <summary>The call being handled here; <see langword="null"/> outside of handlers.</summary>
    public static RpcContext? Current => ServerCall.CurrentContext;

    /// <summary>What was called.</summary>
    public RpcMethod Method { get; }

    /// <summary>When the caller gives up; <see cref="Ipc.Deadline.Never"/> if it does not. Calls made here inherit
    /// it.</summary>
    public Deadline Deadline => Moment == 0 ? Deadline.Never : Deadline.FromNanoseconds(Moment);

    /// <summary>The handler's token: fires when the caller cancels, the deadline passes, or the caller's process ends.
    /// Asked for the first time when the call is over, one that never fires.</summary>
    public CancellationToken Cancellation // [part]
        => Interlocked.CompareExchange(ref _token, Asked, 0) == Parted ? CancellationToken.None : _call.Token;

    /// <summary>Who called.</summary>
    public RpcPeer Peer => _callee.Link.Peer;

    /// <summary>What the caller sent beside the request; empty if nothing.</summary>
    public RpcMetadata RequestMetadata => _request ??= new RpcMetadata();

    /// <summary>What the answer will carry beside its message, whether it is a response, the end of a stream or an
    /// error. To be filled before the handler is over, by one thread at a time.</summary>
    public RpcMetadata ResponseMetadata
        => Volatile.Read(ref _response) ?? Interlocked.CompareExchange(ref _response, new RpcMetadata(), null)
            ?? _response!;

    /// <summary>Calls the caller back, on the same connection: what it offers is in its
    /// <see cref="RpcClientOptions.Services"/>, or, inside a callback, the server's own services.</summary>
    /// <remarks>It may be kept: it is of use as long as the connection lives, and its calls fail with
    /// <see cref="RpcStatus.Unavailable"/> afterwards. An inline handler (<see cref="RpcHandler.Inline"/>) cannot wait
    /// for such a call; it may <see cref="RpcCaller.Notify"/>.</remarks>
    public RpcCaller Caller => _callee.Caller;

    internal ulong Moment { get; }

    internal RpcMetadata? ResponseMetadataOrNull => Volatile.Read(ref _response);

    /// <summary>What the handler passed to run; <see langword="null"/> for nothing.</summary>
    internal CallTurns? Turns { get; }

    /// <summary>The call is over and may be another one from here on.</summary>
    /// <returns><see langword="false"/> when somebody has asked for its token, and may again.</returns>
    internal bool TryPart() => Interlocked.CompareExchange(ref _token, Parted, 0) != Asked; // [part]
}
