using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>Messages between a client's and a server's name, in both directions, that outlive the programs of these
/// names. What was sent stays until the other side has acknowledged it; what was not acknowledged comes
/// again.</summary>
/// <remarks>One thread at a time sends, and one receives and acknowledges; they may be two. A server's receiving half
/// is its listener's while it is not lent: it receives and acknowledges what it has lent, or on the thread that calls
/// <see cref="NativeNamedListener.Next"/>. Everything else is for any thread.</remarks>
public sealed unsafe partial class NativeNamedConnection : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly NativeNamedListener? _listener;
    private readonly object _ending = new();
    private bool _isEnding;
    private uint _code;
    private byte[]? _text;
    private bool _isRefused;

    /// <summary>A server's: the listener closes it, when nobody is in the way.</summary>
    internal NativeNamedConnection(IntPtr connection, NativeNamedListener? listener)
    {
        Pointer = connection;
        _listener = listener;
        ClientName = Utf8.From(NativeMethods.ipc_named_client_name(connection));
        ServerName = Utf8.From(NativeMethods.ipc_named_server_name(connection));
        _owner = new NativeHandle(connection, NativeMethods.ipc_named_stop, Left);
    }

    internal IntPtr Pointer { get; }

    /// <summary>A server's: what of it waits for its borrower. Under the listener's lock.</summary>
    internal NativeNamedLoan Loan { get; set; }

    /// <summary>Somebody disposes of it, or has.</summary>
    internal bool IsLeaving => _owner.IsLeaving;

    internal NativeNamedListener? Listener => _listener;

    /// <summary>Opens the conversation of a client's name with a server's, or begins it. No server is needed.</summary>
    /// <exception cref="NativeException">A live client has the name (<see cref="NativeStatus.InUse"/>), and the other
    /// errors of <c>ipc_named_open</c>.</exception>
    public static NativeNamedConnection Open(string server, string client, NativeNamedOptions? options = null)
    {
        NativeLoader.Ensure();
        options ??= new NativeNamedOptions();
        NamedOptionsData data = options.Data;
        IntPtr connection;
        fixed (byte* to = Utf8.Terminated(server), from = Utf8.Terminated(client), login = options.Login.Span)
        {
            data.Login = login;
            NativeError.Demand(NativeMethods.ipc_named_open(to, from, &data, &connection));
        }

        return new NativeNamedConnection(connection, null);
    }

    /// <summary>Removes the conversation of two names, with what was not acknowledged.</summary>
    /// <returns>Whether there was one.</returns>
    /// <exception cref="NativeException">A live process is attached (<see cref="NativeStatus.InUse"/>), and the other
    /// errors of <c>ipc_named_remove</c>.</exception>
    public static bool Remove(string server, string client)
    {
        NativeLoader.Ensure();
        fixed (byte* to = Utf8.Terminated(server), from = Utf8.Terminated(client))
        {
            NativeStatus status = NativeMethods.ipc_named_remove(to, from);
            if (status == NativeStatus.NotFound)
                return false;
            NativeError.Demand(status);
            return true;
        }
    }

    /// <summary>A client's: logs in, if there is no session with a server that lives: the system is asked. Waits until
    /// the deadline for one. <see cref="NativeDeadline.Now"/> looks once, and gives the server 5 s to answer.</summary>
    /// <returns>Ok; Timeout: it did not answer; PeerClosed, PeerDied: it is ending; Stopped, Cancelled,
    /// Closed.</returns>
    /// <exception cref="NativeException">There is no server (<see cref="NativeStatus.NotFound"/>), it refuses this
    /// client (<see cref="NativeStatus.Refused"/>, with its words), and the other errors of
    /// <c>ipc_named_connect</c>.</exception>
    public NativeStatus Connect(NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_named_connect(Pointer, deadline.Value, scope.Value), _owner);
    }

    /// <summary>A server's answer to <see cref="NativeNamedEventKind.Login"/>, once: there is a session, and what the
    /// client has sent and sends is reported.</summary>
    /// <param name="reply">For the client, at most 1024 bytes.</param>
    /// <exception cref="NativeException">It has no login to be answered (<see cref="NativeStatus.InvalidState"/>), or
    /// the reply is too long (<see cref="NativeStatus.InvalidArgument"/>) and the login still waits.</exception>
    public void Accept(ReadOnlySpan<byte> reply = default)
    {
        using var use = new Use(_owner);
        bool wasAsked = _listener is not null && _listener.TakeBack(this, NativeNamedLoan.Login);
        fixed (byte* bytes = reply)
        {
            NativeStatus status = NativeMethods.ipc_named_accept(Pointer, bytes, (uint)reply.Length);
            if (status == NativeStatus.InvalidArgument && wasAsked)
                _listener!.LendAgain(this, NativeNamedLoan.Login);
            NativeError.Demand(status);
        }
    }

    /// <summary>A server's other answer to <see cref="NativeNamedEventKind.Login"/>, once: the client's receive,
    /// connect or claim fail with <see cref="NativeStatus.Refused"/>. The messages stay; this object is disposed of by
    /// it.</summary>
    /// <param name="reason">For the client's exception, cut to 240 bytes of UTF-8.</param>
    /// <exception cref="NativeException">It has no login to be answered (<see cref="NativeStatus.InvalidState"/>), and
    /// is not disposed of.</exception>
    public void Refuse(string reason)
    {
        byte[] text = Utf8.Terminated(reason);
        using (new Use(_owner))
        {
            if (_listener is null || !_listener.IsLent(this, NativeNamedLoan.Login))
                throw new NativeException(NativeStatus.InvalidState, "This connection has no login to be answered.");
            End(0, text, isRefused: true);
        }
    }

    /// <summary>Waits of this connection return <see cref="NativeStatus.Stopped"/>, now and from now on, until
    /// <see cref="Resume"/>. Calls that need not wait work.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_named_stop(Pointer);
    }

    /// <summary>Takes <see cref="Stop"/> back.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_named_resume(Pointer);
    }

    /// <summary>As <see cref="Dispose"/>, with a reason for the other side. Only the first close counts.</summary>
    /// <param name="code">0 is 1, an ordinary close; 4 is a server's that shuts down.</param>
    /// <param name="text">A server's words, cut to 240 bytes of UTF-8. A client's are not sent.</param>
    public void Close(int code, string? text = null) =>
        End(checked((uint)code), text is null ? null : Utf8.Terminated(text), isRefused: false);

    /// <summary>Ends the session and leaves; messages stay for who comes next under this name. Waits of other threads
    /// in it return <see cref="NativeStatus.Closed"/>, and the last one that is inside a call closes. A server's that
    /// is not lent is closed between two waits of <see cref="NativeNamedListener.Next"/>.</summary>
    public void Dispose() => End(0, null, isRefused: false);

    /// <summary>Closes what nobody is inside of, and no leader looks at, any more.</summary>
    internal void Free()
    {
        fixed (byte* text = _text)
        {
            // A refusal that comes to nothing, because the client has gone, still has to leave.
            if (!_isRefused || NativeMethods.ipc_named_refuse(Pointer, text) != NativeStatus.Ok)
                NativeMethods.ipc_named_close(Pointer, _code, _isRefused ? null : text);
        }
    }

    /// <summary>A call from elsewhere, with <see cref="Pointer"/>.</summary>
    internal Use Enter() => new(_owner);

    private void End(uint code, byte[]? text, bool isRefused)
    {
        lock (_ending)
        {
            if (!_isEnding)
                (_isEnding, _code, _text, _isRefused) = (true, code, text, isRefused);
        }

        _owner.Leave();
    }

    /// <summary>The last one is out.</summary>
    private void Left(IntPtr connection)
    {
        if (_listener is null)
            Free();
        else
            _listener.Free(this);
    }
}
