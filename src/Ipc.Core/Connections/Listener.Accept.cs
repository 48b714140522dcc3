using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Accepting, for servers that give each connection a task or a thread of its own.</summary>
public sealed partial class Listener
{
    /// <summary>The next client that asks, accepted: for servers that give each connection a task or a thread of its
    /// own. It is the caller's until it is disposed; do not return it.</summary>
    /// <returns>Ok; Timeout; Stopped, also when another server has the name (<see cref="IsFollowed"/>); Cancelled;
    /// Closed.</returns>
    /// <exception cref="InvalidOperationException">Another thread waits here; or a connection has been
    /// returned.</exception>
    public IpcStatus Accept(
        out Connection? connection, Deadline deadline, CancellationToken cancellationToken = default)
    {
        connection = null;
        if (Atomic.LoadAcquire(ref _toldOfFollowed) != 0)
            return IpcStatus.Stopped; // nobody comes any more
        IpcStatus status = Next(out ListenerEvent next, deadline, cancellationToken);
        if (status == IpcStatus.Ok && next.Kind == ListenerEventKind.Followed)
            return IpcStatus.Stopped;
        if (status == IpcStatus.Ok)
            connection = Accepted(next);
        return status;
    }

    /// <summary>The next client that asks within <paramref name="timeout"/>, accepted; only a wait makes a deadline of
    /// it. See <see cref="Accept(out Connection?, Deadline, CancellationToken)"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    public IpcStatus Accept(
        out Connection? connection, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        IpcStatus status = Accept(out connection, Deadline.Now, cancellationToken);
        return status == IpcStatus.Timeout
            ? Accept(out connection, Deadline.After(timeout), cancellationToken)
            : status;
    }

    /// <summary>The next client that asks, accepted: for servers that give each connection a task of its own, which
    /// reads it by <see cref="RingReader.ReadAllAsync"/> or <see cref="RingReader.WaitToReadAsync"/>. It is the
    /// caller's until it is disposed; do not return it.</summary>
    /// <remarks>Reading a connection so costs a look at it whenever any client of this listener rings: for some
    /// hundreds of connections, not for thousands, which one loop over
    /// <see cref="NextAsync(CancellationToken)"/> serves better.</remarks>
    /// <exception cref="IpcException">Stopped, also when another server has the name
    /// (<see cref="IsFollowed"/>).</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was taken.</exception>
    /// <exception cref="ObjectDisposedException">The listener is disposed, or was meanwhile.</exception>
    /// <exception cref="InvalidOperationException">Another thread waits here; or a connection has been
    /// returned.</exception>
    public ValueTask<Connection> AcceptAsync(CancellationToken cancellationToken = default) =>
        AcceptAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    /// <summary>The next client that asks within <paramref name="timeout"/>, accepted. See
    /// <see cref="AcceptAsync(CancellationToken)"/>.</summary>
    /// <exception cref="TimeoutException">None asked in time.</exception>
    public async ValueTask<Connection> AcceptAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (Atomic.LoadAcquire(ref _toldOfFollowed) != 0)
            ThrowFollowed();
        return Accepted(await NextAsync(timeout, cancellationToken).ConfigureAwait(false));
    }

    [DoesNotReturn]
    private void ThrowFollowed() =>
        Throw.Status(IpcStatus.Stopped, $"Another server has taken the name \"{Name}\": nobody comes any more.");

    private Connection Accepted(ListenerEvent next)
    {
        if (next.Kind == ListenerEventKind.Followed)
            ThrowFollowed();
        if (next.Kind != ListenerEventKind.Connect)
            throw new InvalidOperationException(
                "A connection was returned to a listener whose connections are taken by Accept. Who returns them " +
                "takes events by Next.");
        next.Connection.Accept();
        return next.Connection;
    }
}
