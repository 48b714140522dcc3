using System;
using System.Collections.Concurrent;
using System.Threading;

namespace Ipc.Native;

/// <summary>The server's side: tells what there is to do over all its connections. One thread at a time asks; others may handle what was
/// lent before.</summary>
public sealed unsafe class NativeListener : IDisposable
{
    /// <summary>The library names a connection by its pointer; here it has one object from its connect to its end.</summary>
    private readonly ConcurrentDictionary<IntPtr, NativeConnection> _connections = new();

    private readonly NativeHandle _owner;
    private readonly IntPtr _listener;

    private NativeListener(IntPtr listener)
    {
        _listener = listener;
        _owner = new NativeHandle(listener, NativeMethods.ipc_listener_stop, Close, HasSpanOut);
    }

    /// <summary>Opens the listener of that name; a left-over of a dead server is replaced.</summary>
    /// <exception cref="NativeException">A live server has that name (<see cref="NativeStatus.InUse"/>), and the other errors of <c>ipc_listener_open</c>.</exception>
    public static NativeListener Open(string name, NativeListenerOptions? options = null)
    {
        NativeLoader.Ensure();
        options ??= new NativeListenerOptions();
        ListenerOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        IntPtr listener;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_listener_open(text, &data, &listener));
        return new NativeListener(listener);
    }

    /// <summary>The next thing to do. Its connection is lent until <see cref="Return"/>, <see cref="NativeConnection.Refuse"/> or
    /// <see cref="NativeConnection.Dispose"/>.</summary>
    /// <returns>Ok, or Timeout, Cancelled, Closed.</returns>
    public NativeStatus Next(out NativeEventKind kind, out NativeConnection? connection, NativeDeadline deadline, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        EventData data = default;
        NativeStatus status = NativeError.Check(NativeMethods.ipc_listener_next(_listener, deadline.Value, scope.Value, &data), _owner);
        kind = (NativeEventKind)data.Kind;
        connection = null;
        if (status == NativeStatus.Ok && data.Connection != null)
        {
            connection = _connections.GetOrAdd((IntPtr)data.Connection, value => new NativeConnection(value, Forget));
            connection.IsLent = true;
        }

        return status;
    }

    /// <summary>Another server has taken the name. Any thread.</summary>
    public bool IsFollowed
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_listener_is_followed(_listener) != 0;
        }
    }

    /// <summary>The connection is watched again. Any thread.</summary>
    /// <exception cref="ObjectDisposedException">The connection, or this listener, has been disposed of.</exception>
    public void Return(NativeConnection connection)
    {
        if (connection is null)
            throw new ArgumentNullException(nameof(connection));
        using var use = new Use(_owner);
        using Use lent = connection.Enter(); // who has disposed of it has nothing to return
        connection.IsLent = false;
        NativeMethods.ipc_listener_return(_listener, connection.Pointer);
    }

    /// <summary><see cref="Next"/> returns <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>, unless there is something to do at once. Any thread.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_listener_stop(_listener);
    }

    /// <summary>Takes <see cref="Stop"/> back. Any thread.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_listener_resume(_listener);
    }

    /// <summary>Closes all connections, refuses who is asking and removes the name. What is lent still has to be disposed of by whoever has it.</summary>
    public void Dispose() => _owner.Leave();

    /// <summary>The library frees what is not lent; what is lent stays its borrower's. Nobody is inside a call any more.</summary>
    private void Close(IntPtr listener)
    {
        foreach (NativeConnection connection in _connections.Values)
        {
            if (!connection.IsLent)
                connection.Disown();
        }

        NativeMethods.ipc_listener_close(listener);
    }

    /// <summary>Closing frees the connections with it.</summary>
    private bool HasSpanOut()
    {
        foreach (NativeConnection connection in _connections.Values)
        {
            if (connection.HasSpanOut)
                return true;
        }

        return false;
    }

    private void Forget(NativeConnection connection) => _connections.TryRemove(connection.Pointer, out _);
}
