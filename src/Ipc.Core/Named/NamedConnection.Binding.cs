using System;
using System.Threading;

namespace Ipc;

/// <content>For whoever carries a conversation on, to another machine: which one it is, and of which other one it is
/// the rest of the way.</content>
public sealed partial class NamedConnection
{
    /// <summary>Which conversation this is: another one of the same two names has another id. Empty when it is
    /// closed.</summary>
    public Guid Id => Ends.Id;

    /// <summary>What this side has bound the conversation to with <see cref="Bind"/>, in this process or a former one;
    /// empty: nothing. A conversation that begins anew is bound to nothing.</summary>
    public Guid Bound => Ends.Bound;

    /// <summary>Notes, beside the messages and for as long as they are there, that this conversation is the rest of the
    /// way of another one. Each side has its own note, and writes it once.</summary>
    /// <param name="id">Not empty: the other conversation's.</param>
    /// <exception cref="InvalidOperationException">This side has bound it to another one.</exception>
    public void Bind(Guid id)
    {
        if (id == Guid.Empty)
            throw new ArgumentException("The id of a conversation is not empty.", nameof(id));
        NamedEnds ends = Ends;
        Guid bound = ends.Bound;
        if (bound == id)
            return;
        if (bound != Guid.Empty)
            throw new InvalidOperationException($"This conversation is bound to {bound} and cannot be to {id}.");
        ends.Bind(id);
    }

    /// <summary>Begins the conversation anew, without what is not acknowledged in either direction: its numbers begin
    /// with 1, and a server that is attached to the former one leaves it at the next login. Of a client. No other
    /// thread may send or receive meanwhile.</summary>
    /// <remarks><see cref="Changed"/> tells it as a reset, with how much was lost, and the same identity
    /// twice.</remarks>
    /// <exception cref="InvalidOperationException">This is a server's.</exception>
    /// <exception cref="IpcException">Any status of opening a region; the next login tries it again.</exception>
    public void BeginAnew()
    {
        ThrowIfServer();
        lock (_login)
        {
            if (Atomic.LoadAcquire(ref _disposed) != 0)
                return;
            NamedEnds ends = Ends;
            if (ends.Session is { } session)
                Lose(ends, session, IpcStatus.PeerClosed);
            if (!_beginsAnew)
                GiveUp(Identity ?? "");
            OpenAnew();
        }

        EndNaps();
        TellChanges();
    }

    /// <summary>Refuses the login because the conversation is not with this server: the client begins it anew, logs in
    /// again, and is told (<see cref="NamedChange.Reset"/>). Disposes this connection.</summary>
    /// <param name="identity">Who the client is told it is with now: 1 to 120 bytes of UTF-8.</param>
    /// <exception cref="InvalidOperationException">There is no login to be answered.</exception>
    public void RefuseAsAnother(string identity)
    {
        Throw.IfNull(identity, nameof(identity));
        Connection? asked = TakeAsked();
        Dispose(); // first: the client may begin anew at once
        asked?.RefuseWith(CloseCode.Identity, identity);
    }
}
