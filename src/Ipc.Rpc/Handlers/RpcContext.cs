using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>The call that a handler is handling.</summary>
/// <remarks>
/// A synchronous handler has it on its thread, an asynchronous one wherever its tasks continue. Its properties may be
/// read after the call has ended; metadata added then is not sent.
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

    /// <summary>The call that the running handler is handling; <see langword="null"/> outside of handlers.</summary>
    public static RpcContext? Current => ServerCall.CurrentContext;

    /// <summary>The method that was called.</summary>
    public RpcMethod Method { get; }

    /// <summary>The deadline of the call; <see cref="Ipc.Deadline.Never"/> if it has none. Calls that the handler makes
    /// inherit it.</summary>
    public Deadline Deadline => Moment == 0 ? Deadline.Never : Deadline.FromNanoseconds(Moment);

    /// <summary>A token that is cancelled when the caller cancels, the deadline passes, or the caller's process ends.
    /// If it is first read after the call has ended, it is never cancelled.</summary>
    public CancellationToken Cancellation // [part]
        => Interlocked.CompareExchange(ref _token, Asked, 0) == Parted ? CancellationToken.None : _call.Token;

    /// <summary>The process that called.</summary>
    public RpcPeer Peer => _callee.Link.Peer;

    /// <summary>The metadata that the caller sent with the request; empty if none.</summary>
    public RpcMetadata RequestMetadata => _request ??= new RpcMetadata();

    /// <summary>The metadata of the answer, whether that is a response, the end of a stream or an error. Fill it before
    /// the handler ends, on one thread at a time.</summary>
    public RpcMetadata ResponseMetadata
        => Volatile.Read(ref _response) ?? Interlocked.CompareExchange(ref _response, new RpcMetadata(), null)
            ?? _response!;

    /// <summary>Calls the caller back, over the same connection. A client offers its
    /// <see cref="RpcClientOptions.Services"/>; inside a callback, it calls the server's services.</summary>
    /// <remarks>It may be kept after the call. It works as long as the connection is open; afterwards its calls fail
    /// with <see cref="RpcStatus.Unavailable"/>. An inline handler (<see cref="RpcHandler.Inline"/>) cannot wait for
    /// such a call, but may use <see cref="RpcCaller.Notify"/>.</remarks>
    public RpcCaller Caller => _callee.Caller;

    internal ulong Moment { get; }

    internal RpcMetadata? ResponseMetadataOrNull => Volatile.Read(ref _response);

    /// <summary>What the handler passed to run; <see langword="null"/> for nothing.</summary>
    internal CallTurns? Turns { get; }

    /// <summary>The connection of the call; <see langword="null"/> when the call is over.</summary>
    internal CalleeLink? OpenLink // [part]
        => Volatile.Read(ref _token) == Parted || _call.IsAnswered ? null : _callee.Link;

    /// <summary>The call is over and may be another one from here on.</summary>
    /// <returns><see langword="false"/> when somebody has asked for its token, and may again.</returns>
    internal bool TryPart() => Interlocked.CompareExchange(ref _token, Parted, 0) != Asked; // [part]
}
