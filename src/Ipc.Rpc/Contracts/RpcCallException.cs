using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Ipc.Rpc;

/// <summary>A call failed. A handler throws it to choose the status that its caller gets.</summary>
public sealed class RpcCallException : Exception
{
    private readonly RpcMethod? _method;

    /// <summary>Fails a call with a status and a text.</summary>
    public RpcCallException(RpcStatus status, string text)
        : this(status, null, text, null)
    {
    }

    /// <summary>Fails a call with a status, a text, and an inner exception, which is not sent to the caller.</summary>
    public RpcCallException(RpcStatus status, string text, Exception? inner)
        : this(status, null, text, inner)
    {
    }

    /// <summary>Fails a call with a status, a text, and detail messages, which <see cref="RpcDetail.Of"/>
    /// makes.</summary>
    /// <remarks>Details that do not fit into a frame are not sent; the last ones are left out first.</remarks>
    public RpcCallException(RpcStatus status, string text, IReadOnlyList<RpcDetail> details, Exception? inner = null)
        // a copy: what the list does later is not asked
        : this(status, null, text, inner, (details ?? throw new ArgumentNullException(nameof(details))).ToArray())
    {
    }

    internal RpcCallException(
        RpcStatus status,
        string? remoteType,
        string text,
        Exception? inner,
        IReadOnlyList<RpcDetail>? details = null,
        RpcMethod? method = null,
        string? peer = null,
        bool isUnsent = false)
        : base(text, inner)
    {
        Details = details ?? Array.Empty<RpcDetail>();
        Status = status;
        RemoteType = remoteType;
        _method = method;
        Peer = peer;
        IsUnsent = isUnsent;
    }

    /// <summary>The failure of a call that another transport than shared memory carried: for classes derived from
    /// <see cref="RpcCaller"/>.</summary>
    /// <param name="status">Why it failed.</param>
    /// <param name="text">The same, in words.</param>
    /// <param name="method">What was called; <see langword="null"/> if there was no call.</param>
    /// <param name="peer">Who was called, as text; <see langword="null"/> if it is not known.</param>
    /// <param name="remoteType">The full type name of the exception that the handler threw; <see langword="null"/> for
    /// other failures.</param>
    /// <param name="details">Detail messages, which must not change afterwards; <see langword="null"/> for
    /// none.</param>
    /// <param name="isUnsent">Whether the request was certainly not handled, so that the call may be repeated.</param>
    /// <param name="inner">The transport's own exception.</param>
    public static RpcCallException OfTransport(
        RpcStatus status,
        string text,
        RpcMethod? method,
        string? peer,
        string? remoteType = null,
        IReadOnlyList<RpcDetail>? details = null,
        bool isUnsent = false,
        Exception? inner = null)
        => new(
            status,
            remoteType,
            text ?? throw new ArgumentNullException(nameof(text)),
            inner,
            details,
            method,
            peer,
            isUnsent);

    /// <summary>Why it failed.</summary>
    public RpcStatus Status { get; }

    /// <summary>The full type name of the exception that the handler threw; <see langword="null"/> for other
    /// failures.</summary>
    public string? RemoteType { get; }

    /// <summary>The service that was called; <see langword="null"/> if there was no call.</summary>
    public string? Service => _method?.Service;

    /// <summary>The method that was called; <see langword="null"/> if there was no call.</summary>
    public string? Method => _method?.Name;

    /// <summary>The peer that was called, as text: <c>the server "prices" (process 4711)</c>; <see langword="null"/> if
    /// it is not known.</summary>
    public string? Peer { get; }

    /// <summary>Whether the request was certainly not handled, because there was no connection, or because the server
    /// stopped in good order before it took it; then the call may be repeated. If it is <see langword="false"/>, the
    /// request may have been handled.</summary>
    public bool IsUnsent { get; internal set; }

    /// <summary>Of a method with <see cref="IpcOnceAttribute"/>: why the call was neither executed nor answered from
    /// memory, if that is why it failed.</summary>
    public RpcOnceRefusal OnceRefusal { get; internal set; }

    /// <summary>Whether the peer has said so in an answer to this call; <see langword="false"/> when this side noticed
    /// it, for instance the end of the connection. Of calls over shared memory.</summary>
    public bool IsAnswer { get; internal set; }

    /// <summary>Whether code of the caller has thrown it, which wrote the request or was told of the answer: it is no
    /// failure of an attempt, after which another one is made.</summary>
    internal bool IsOfCaller { get; set; }

    /// <summary>Detail messages, in the handler's order.</summary>
    public IReadOnlyList<RpcDetail> Details { get; }

    /// <summary>The status, the method, the peer, the remote type, the text, the inner exception and the stack
    /// trace.</summary>
    public override string ToString()
    {
        var text = new StringBuilder(typeof(RpcCallException).FullName).Append(": ").Append(Status);
        if (_method is not null)
            text.Append(" of ").Append(_method.FullName);
        if (Peer is not null)
            text.Append(" at ").Append(Peer);
        if (RemoteType is { Length: > 0 })
            text.Append(", thrown there as ").Append(RemoteType);
        text.Append(": ").Append(Message);
        if (InnerException is not null)
            text.Append(Environment.NewLine).Append(" ---> ").Append(
                ErrorText.Whole(InnerException)).Append(Environment.NewLine).Append(
                    "   --- End of inner exception stack trace ---");
        if (StackTrace is { } stack)
            text.Append(Environment.NewLine).Append(stack);
        return text.ToString();
    }
}
