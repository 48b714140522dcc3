using System;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Calls of the server to the client.</content>
internal sealed partial class ServerConnection
{
    /// <summary>Why it is over; <see langword="null"/> while it is not known to be.</summary>
    public RpcFailure? Ended => Volatile.Read(ref _ended);

    /// <summary>Whether all that has come has been handled. Any thread.</summary>
    public bool IsDrained => _requests.IsDrained;

    /// <summary>Held by whoever writes.</summary>
    public object WriteLock => _write;

    /// <summary>Whether this thread is in an inline handler of the server, and so keeps it from reading
    /// anything.</summary>
    public bool IsReadInlineHere => InlineHere is ServerConnection inline && ReferenceEquals(inline._server, _server);

    /// <summary>Whether calls that nobody waits for may still be left for a client that does not read: they may not be
    /// what it is cut off for. Under the write lock.</summary>
    public bool TakesCalls => _unsent <= _server.Options.MaxUnsentBytes / 2;

    /// <summary>Looks whether the client is there. Under the write lock.</summary>
    public bool CheckClient()
    {
        if (_closed)
            return false;
        if (_connection.IsOpen)
            return true;

        _ended ??= ReasonOf(CloseCode.None, string.Empty); // the leader will be told, and close
        return false;
    }

    /// <summary>Finds a place for a frame that was built and did not fit. Under the write lock.</summary>
    /// <returns>Whether it is in the ring, to be published.</returns>
    public bool MakeRoom()
    {
        if (!_congested &&
            _builder.ClaimSpilled(Deadline.After(_momentForRoom), CancellationToken.None) == IpcStatus.Ok)
        {
            return true;
        }

        Enqueue(_builder.Spilled.ToArray());
        _builder.Trim();
        return false;
    }

    /// <summary>Sends a frame without a message.</summary>
    public void SendControl(FrameHeader header, byte[] body) => SendSmall(header, body);

    private RpcCaller MakeCaller()
    {
        bool over;
        CallEngine callbacks;
        RpcCaller caller;
        lock (_write)
        {
            if (_caller is not null)
                return _caller;

            var link = new CallbackLink(this, _builder, PeerName.OfClient(Peer.ProcessId));
            callbacks = new CallEngine(link, FrameFlags.Callback, _server.Options.MaxPendingCalls);
            link.Engine = callbacks;
            Volatile.Write(ref _callbacks, callbacks);
            caller = new RouteCaller(new FixedRoute(callbacks, _server.Options.StreamWindow), CallSetup.Default);
            Volatile.Write(ref _caller, caller);
            over = _closed;
        }

        if (over)
            callbacks.EndAll(_ended!); // whoever closed has not seen it
        return caller;
    }

    private RpcFailure ReasonOf(CloseCode code, string text)
    {
        string who = PeerName.First(PeerName.OfClient(Peer.ProcessId));
        if (code == CloseCode.None)
            return new RpcFailure(
                RpcStatus.Unavailable,
                who + (_connection.PeerCloseCode == CloseCode.None ? " died." : " closed the connection.") +
                    " Whether it handled the call is not known.");
        if (code == CloseCode.Shutdown)
            return new RpcFailure(
                RpcStatus.Unavailable,
                "The server was stopped while the call was pending. Whether the client handled it is not known.");
        return new RpcFailure(
            RpcStatus.DataLoss, who + " wrote what is not the protocol, and the connection was closed: " + text);
    }
}
