using System;
using System.Threading;

namespace Ipc;

/// <content>The server's side: asked, answered, lent and given back.</content>
public sealed partial class NamedConnection
{
    private readonly NamedListener? _listener;
    private Connection? _asked; // a login that was not answered
    private int _lent;          // an event of it is with the user

    internal NamedConnection(NamedListener listener, NamedEnds ends, string client)
        : this(ends, listener.Name, listener.Name, client, new NamedConnectionOptions { Reconnect = false }) =>
        _listener = listener;

    internal bool IsDisposed => Atomic.LoadAcquire(ref _disposed) != 0;

    internal bool IsLent => Atomic.LoadAcquire(ref _lent) != 0;

    internal NamedEnds EndsNow => Ends;

    /// <summary>That is what the client of this conversation says.</summary>
    internal bool IsOf(ReadOnlySpan<byte> hello) =>
        Ends.Hello(ClientName) is { } ours && hello.SequenceEqual(ours);

    /// <summary>Accepts the login: there is a session, and what the client has sent and sends is reported. It has no
    /// effect on a connection that is disposed, also by another thread meanwhile.</summary>
    /// <param name="reply">For the client: at most 1024 bytes.</param>
    /// <exception cref="InvalidOperationException">There is no login to be answered.</exception>
    /// <exception cref="IpcException">InvalidArgument: the reply is too long.</exception>
    public void Accept(ReadOnlySpan<byte> reply = default)
    {
        if (reply.Length > NamedHeader.DataCapacity)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"The reply has {reply.Length} bytes, at most {NamedHeader.DataCapacity} are possible.");
        if (TakeAsked() is not { } session)
            return;
        NamedEnds ends = Ends;
        ends.WriteData(ofClient: false, reply);
        FaultPoints.Pass(FaultPoints.NamedAcceptWritten);
        session.Watched = ends.Reader;
        session.Owner = this;
        ends.Session = session;
        if (IsDisposed) // who disposes has not seen it
        {
            ends.Session = null;
            session.Dispose();
            return;
        }

        session.Accept();
        _listener!.Watch(session);
    }

    /// <summary>Refuses the login with a reason, and disposes this connection: its messages stay.</summary>
    /// <param name="reason">Cut to 240 bytes of UTF-8.</param>
    /// <exception cref="InvalidOperationException">There is no login to be answered.</exception>
    public void Refuse(string reason)
    {
        TakeAsked()?.Refuse(reason);
        Dispose();
    }

    /// <summary>Lets the client come again: it does so by itself, after a pause. This connection stays attached, as one
    /// whose client is not here (<see cref="NamedListener.TryOpen"/>).</summary>
    /// <param name="text">For the client; cut to 240 bytes of UTF-8.</param>
    /// <exception cref="InvalidOperationException">There is no login to be answered.</exception>
    public void TurnAway(string text) => TakeAsked()?.RefuseWith(CloseCode.Shutdown, text);

    /// <summary>A login that is not answered yet.</summary>
    internal bool IsAsked => Atomic.LoadAcquire(ref _asked) is not null;

    internal void Asks(Connection session) => Atomic.Exchange(ref _asked, session);

    internal void Lend() => Atomic.StoreRelease(ref _lent, 1);

    internal void TakeBack() => Atomic.StoreRelease(ref _lent, 0);

    /// <summary>The session is over, if it still is this one.</summary>
    internal bool Loses(Connection session)
    {
        NamedEnds ends = Ends;
        if (!ReferenceEquals(ends.Session, session))
            return false;
        ends.Session = null;
        return true;
    }

    /// <summary>Null: it was disposed, and so was who asks.</summary>
    private Connection? TakeAsked()
    {
        if (IsClient)
            throw new InvalidOperationException("Only a server answers.");
        Connection? asked = Atomic.Exchange(ref _asked, null);
        if (asked is null && !IsDisposed)
            throw new InvalidOperationException("There is no login to be answered, or it has been answered before.");
        return asked;
    }
}
