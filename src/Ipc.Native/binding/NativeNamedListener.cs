using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Native;

/// <summary>A server's side of named connections: clients log in, and come back. One thread at a time is in
/// <see cref="Next"/>; others may handle what was lent before.</summary>
/// <remarks>A connection stays with its listener until it is disposed of, whether or not its client is there: what is
/// sent meanwhile waits for it.</remarks>
public sealed unsafe partial class NativeNamedListener : IDisposable
{
    private const string Ended = "the server has ended";

    /// <summary>Connections are found, lent and freed under it, and the leader goes in and out. Freeing one waits for a
    /// region's lock, up to 5 s, if a stopped process holds that.</summary>
    private readonly object _gate = new();

    /// <summary>The library names a connection by its pointer; here it has one object until it is disposed
    /// of.</summary>
    private readonly Dictionary<IntPtr, NativeNamedConnection> _connections = [];

    /// <summary>Disposed of while the leader may look at them: freed when it comes out.</summary>
    private readonly List<NativeNamedConnection> _left = [];

    private readonly NativeHandle _owner;
    private readonly IntPtr _listener;
    private bool _isLed;
    private bool _isStopped;
    private bool _isEnding;
    private uint _code;
    private string _words = Ended;
    private byte[]? _text;

    private NativeNamedListener(IntPtr listener)
    {
        _listener = listener;
        _owner = new NativeHandle(listener, StopForGood, Left);
    }

    /// <summary>Opens the listener of that name. It replaces what a dead server has left; the conversations go
    /// on.</summary>
    /// <exception cref="NativeException">A live server has that name (<see cref="NativeStatus.InUse"/>), and the other
    /// errors of <c>ipc_named_listener_open</c>.</exception>
    public static NativeNamedListener Open(string name, NativeNamedListenerOptions? options = null)
    {
        NativeLoader.Ensure();
        options ??= new NativeNamedListenerOptions();
        NamedListenerOptionsData data = options.Data;
        IntPtr listener;
        fixed (byte* text = Utf8.Terminated(name),
            identity = options.Identity is null ? null : Utf8.Terminated(options.Identity))
        {
            data.Identity = identity;
            NativeError.Demand(NativeMethods.ipc_named_listener_open(text, &data, &listener));
        }

        return new NativeNamedListener(listener);
    }

    /// <summary>Waits for the next event of any connection. What is readable is lent to the caller, and not watched
    /// until <see cref="Return"/>; several may be lent at a time, to as many threads.</summary>
    /// <returns>Ok and an event, or Timeout, Stopped, Cancelled, Closed and <see langword="null"/>.</returns>
    /// <exception cref="InvalidOperationException">Another thread is in this method.</exception>
    public NativeStatus Next(
        out NativeNamedEvent? found, NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        for (; ; )
        {
            NamedEventData data = default;
            NativeStatus status;
            Lead();
            try
            {
                status = NativeMethods.ipc_named_listener_next(_listener, deadline.Value, scope.Value, &data);
            }
            finally
            {
                // The event is looked at in the same breath: nobody frees its connection in between.
                found = ComeOut(data);
            }

            if (status == NativeStatus.Stopped)
                status = Stopped();
            if (status != NativeStatus.Ok || found is not null)
                return NativeError.Check(status);
        }
    }

    /// <summary>A readable connection is watched again. One with messages that were not received is reported again at
    /// once. Any thread; no other may receive from it meanwhile.</summary>
    /// <exception cref="NativeException">It is not lent as readable
    /// (<see cref="NativeStatus.InvalidState"/>).</exception>
    /// <exception cref="ObjectDisposedException">The connection, or this listener, has been disposed of.</exception>
    public void Return(NativeNamedConnection connection)
    {
        if (connection is null)
            throw new ArgumentNullException(nameof(connection));
        if (connection.Listener != this)
            throw new ArgumentException("It is another listener's, or a client's.", nameof(connection));
        using var use = new Use(_owner);
        using Use lent = connection.Enter();
        if (!TakeBack(connection, NativeNamedLoan.Readable))
            throw new NativeException(NativeStatus.InvalidState, "This connection is not lent.");
        NativeMethods.ipc_named_return(_listener, connection.Pointer);
    }

    /// <summary>Attaches to the conversation with a client that is not here: to read what it has left, or to send it
    /// something for when it comes. Of one that is known already it is that object.</summary>
    /// <returns><see langword="null"/>: there is none, only clients begin conversations.</returns>
    /// <exception cref="NativeException">Another process is attached as the server, or the object of before is being
    /// disposed of (<see cref="NativeStatus.InUse"/>); it is with a server of another identity
    /// (<see cref="NativeStatus.WrongVersion"/>), and the other errors of <c>ipc_named_listener_open_connection</c>.
    /// </exception>
    public NativeNamedConnection? OpenConnection(string client)
    {
        using var use = new Use(_owner);
        lock (_gate)
        {
            if (_isEnding)
                throw new ObjectDisposedException(nameof(NativeNamedListener));
            IntPtr connection;
            fixed (byte* text = Utf8.Terminated(client))
            {
                NativeStatus status =
                    NativeMethods.ipc_named_listener_open_connection(_listener, text, &connection);
                if (status == NativeStatus.NotFound)
                    return null;
                NativeError.Demand(status);
            }

            NativeNamedConnection known = Known(connection);
            return known.IsLeaving
                ? throw new NativeException(NativeStatus.InUse, "This connection is being disposed of.")
                : known;
        }
    }

    /// <summary><see cref="Next"/> returns <see cref="NativeStatus.Stopped"/>, now and from now on, until
    /// <see cref="Resume"/>, unless there is something to do at once. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        lock (_gate)
        {
            _isStopped = true;
            NativeMethods.ipc_named_listener_stop(_listener);
        }
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        lock (_gate)
        {
            _isStopped = false;
            LetIn();
        }
    }

    /// <summary>As <see cref="Dispose"/>, with a reason for the clients. Only the first close counts.</summary>
    /// <param name="code">0 is 4: it shuts down.</param>
    /// <param name="text">Words for the clients, cut to 240 bytes of UTF-8.</param>
    public void Close(int code, string? text = null) =>
        End(checked((uint)code), text ?? Ended);

    /// <summary>Ends all sessions, leaves all conversations and removes the name: when nobody is inside a call of it,
    /// or of one of its connections, any more. Messages stay for the next server. Its connections are disposed of by
    /// it; a thread that waits in one, or in <see cref="Next"/>, gets <see cref="NativeStatus.Closed"/>.</summary>
    public void Dispose() => End(0, Ended);
}
