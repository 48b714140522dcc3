using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc;

/// <summary>Messages between two names, in both directions, that outlive the programs of these names. Either may be
/// killed at any moment and started again: the conversation goes on. What was sent stays until the other side has
/// acknowledged it; what was not acknowledged comes again, with its number, and marked.</summary>
/// <remarks>
/// <para>A client opens one (<see cref="Open"/>), a server gets its own from its <see cref="NamedListener"/>. Neither
/// needs the other to send: messages wait in shared memory, also while nobody is there. They do not survive the
/// machine's restart.</para>
/// <para>One thread at a time may send (claim, commit, flush), and one receive and acknowledge; they may be two.
/// Everything else is for any thread. In steady state nothing is allocated. On a server the receiving half is its
/// listener's while there is a session and the connection is not lent: receive and acknowledge between
/// <see cref="NamedEventKind.Readable"/> and <see cref="NamedListener.Return"/>, or on the thread that calls
/// <c>NamedListener.Next</c>.</para>
/// <para>The memory is a region of the pair of names with two rings; a session, an ordinary connection to the server's
/// listener, says that both are there, and why it ended. docs/wire-format/named.md.</para>
/// </remarks>
public sealed partial class NamedConnection : IDisposable
{
    internal static readonly ConnectionProtocol Protocol = new(ConnectionProtocol.Named, 1);

    private readonly NamedConnectionOptions _options;
    private NamedEnds _ends;      // of now: a reset replaces them
    private NamedEnds _sending;   // in which the sending thread has its claim
    private NamedEnds _receiving; // from which the receiving thread has its messages
    private int _disposed;
    private int _stopped;

    /// <summary>The server's name.</summary>
    public string ServerName { get; }

    /// <summary>The client's name.</summary>
    public string ClientName { get; }

    /// <summary>Of the server that this conversation is with: <see cref="NamedListenerOptions.Identity"/>. Null before
    /// the first login.</summary>
    public string? Identity => Ends.ReadIdentity() is { } bytes ? System.Text.Encoding.UTF8.GetString(bytes) : null;

    /// <summary>Whether both sides are there: logged in, not closed, alive.</summary>
    public bool IsConnected => Ends.Session is { IsOpen: true };

    /// <summary>The other side's process, as it says; 0 while there is no session.</summary>
    public int PeerProcessId => Ends.Session?.PeerProcessId ?? 0;

    /// <summary>What the client passed at its last login (<see cref="NamedConnectionOptions.Login"/>). A
    /// copy.</summary>
    public byte[] ReadLogin() => Ends.ReadData(ofClient: true);

    /// <summary>What the server answered to the last login that it accepted (<see cref="Accept"/>). A copy.</summary>
    public byte[] ReadReply() => Ends.ReadData(ofClient: false);

    /// <summary>The number of the last message that was sent in this direction, by this process or a former one of its
    /// name.</summary>
    public long LastSent => (long)Ends.Sent;

    /// <summary>The number of the last message that was received; at the start, that was acknowledged.</summary>
    public long LastReceived => (long)Ends.Received;

    /// <summary>The number of the last message that the other side has sent, received or not. Of a moment.</summary>
    public long LastArrived => (long)Ends.Arrived;

    /// <summary>The number up to which messages are acknowledged by this side.</summary>
    public long LastAcknowledged => (long)Ends.Acknowledged;

    /// <summary>How many messages were sent that the other side has not acknowledged yet.</summary>
    public long Unacknowledged => (long)Ends.Outstanding;

    /// <summary>The longest message, in bytes.</summary>
    public int MaxPayload => Ends.Writer.MaxPayload - NamedEnds.SequenceSize;

    /// <summary>In how many bytes what is sent stays until it is acknowledged: the ring, and the most of its
    /// pool.</summary>
    public long SendCapacity => Ends.SendCapacity;

    private NamedEnds Ends => Atomic.LoadAcquire(ref _ends);

    private bool IsClient => _listener is null;

    /// <summary>Claims <paramref name="length"/> bytes in place, for a message to be filled in and committed. An open
    /// claim is given back first. Never waits, never logs in.</summary>
    /// <returns>False when there is no room: the other side has not acknowledged enough; or it is closed.</returns>
    /// <exception cref="IpcException">TooLarge.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TryClaim(int length, out Span<byte> payload)
    {
        NamedEnds ends = Ends;
        if (length < 0)
            Throw.NegativeLength(length);
        if (length > int.MaxValue - NamedEnds.SequenceSize)
            Throw.TooLarge(length, MaxPayload);
        if (!ends.Writer.TryClaim(length + NamedEnds.SequenceSize, out payload))
            return false;
        _sending = ends;
        payload = ends.Begin(payload);
        return true;
    }

    /// <summary>Claims, waiting for room. A client without a session tries to log in first, and waits for no more than
    /// a moment (20 ms, later up to half a second) for a server that does not answer; with <see cref="Deadline.Now"/>
    /// it does not try.</summary>
    /// <returns>Ok, also when there is no server: the message waits for it. Timeout: no room; Stopped; Cancelled;
    /// Closed; PeerClosed or PeerDied when the ring is full, the other side has gone and this one does not log in by
    /// itself.</returns>
    /// <exception cref="IpcException">TooLarge.</exception>
    /// <exception cref="ConnectionRefusedException">There is no room, and the server refuses this client.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Claim(
        int length, out Span<byte> payload, Deadline deadline, CancellationToken cancellationToken = default) =>
        Ends.Writer.IsPeerLive && TryClaim(length, out payload)
            ? IpcStatus.Ok
            : ClaimWaiting(length, out payload, deadline, cancellationToken);

    /// <summary>Claims, waiting for room no longer than <paramref name="timeout"/>. It reads the clock only if there is
    /// no room or no session. See <see cref="Claim(int, out Span{byte}, Deadline, CancellationToken)"/>; zero is as
    /// <see cref="Deadline.Now"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Claim(
        int length, out Span<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return Ends.Writer.IsPeerLive && TryClaim(length, out payload)
            ? IpcStatus.Ok
            : ClaimWaiting(length, out payload, Deadline.After(timeout), cancellationToken);
    }

    /// <summary>Sends the first <paramref name="length"/> claimed bytes, with everything that was batched before, and
    /// wakes a sleeping receiver.</summary>
    /// <returns>The number of the message. 0: it is not sent, because the connection was closed since the claim, or the
    /// conversation begun anew (<see cref="NamedChange.Reset"/>): claim again.</returns>
    [MethodImpl(Tiering.Optimized)]
    public long Commit(int length, ushort type = 0) => (long)_sending.Commit(length, type, publish: true);

    /// <summary>Commits without publishing: the message goes out with the next commit or <see cref="Flush"/>, or when
    /// there is no more room. Until then it is lost with this process, and when the conversation is begun
    /// anew.</summary>
    /// <returns>The number of the message; 0 as from <see cref="Commit"/>.</returns>
    [MethodImpl(Tiering.Optimized)]
    public long CommitBatched(int length, ushort type = 0) => (long)_sending.Commit(length, type, publish: false);

    /// <summary>Publishes what was batched, with one store and at most one wake-up.</summary>
    public void Flush() => _sending.Writer.Flush();

    /// <summary>Gives up the open claim. Its number is not used.</summary>
    public void Abandon() => _sending.Writer.Abandon();

    /// <summary>Claim, copy, commit. False when there is no room, or it is closed. Never waits, never logs
    /// in.</summary>
    /// <exception cref="IpcException">TooLarge.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TrySend(ReadOnlySpan<byte> payload, ushort type = 0)
    {
        do
        {
            if (!TryClaim(payload.Length, out Span<byte> claimed))
                return false;
            payload.CopyTo(claimed);
        }
        while (Commit(payload.Length, type) == 0); // begun anew meanwhile, or closed: then there is no claim
        return true;
    }

    /// <summary>Claim (waiting for room), copy, commit. See
    /// <see cref="Claim(int, out Span{byte}, Deadline, CancellationToken)"/> for the results.</summary>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Send(
        ReadOnlySpan<byte> payload, ushort type, Deadline deadline, CancellationToken cancellationToken = default)
    {
        return Send(payload, type, deadline, out _, cancellationToken);
    }

    /// <summary>Sends, and waits for room if there is none. A server waits also for a client that is away, whom
    /// <c>NamedListener.Next</c> lets in: without another thread for that it waits for ever.</summary>
    /// <param name="payload">The message, which is copied.</param>
    /// <param name="type">A number that travels with it.</param>
    /// <param name="timeout">How long to wait for room; null: without limit. A client without a session looks for its
    /// server meanwhile.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The number of the message. It is kept until the other side has acknowledged it.</returns>
    /// <exception cref="TimeoutException">There was no room: the other side has not acknowledged enough.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    /// <exception cref="IpcException">TooLarge, Stopped, or the server refuses this client.</exception>
    public long Send(
        ReadOnlySpan<byte> payload,
        ushort type = 0,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default)
    {
        TimeSpan limit = timeout ?? Timeout.InfiniteTimeSpan;
        Deadline.Check(limit, nameof(timeout));
        long number = 0;
        if (Ends.Writer.IsPeerLive && TryClaim(payload.Length, out Span<byte> claimed)) // then it needs no clock
        {
            payload.CopyTo(claimed);
            number = Commit(payload.Length, type);
        }

        if (number != 0)
            return number;
        IpcStatus status = Send(payload, type, Deadline.After(limit), out number, cancellationToken);
        if (status != IpcStatus.Ok)
            Throw.Ended(status, this, nameof(Send), cancellationToken);
        return number;
    }

    [MethodImpl(Tiering.Optimized)]
    private IpcStatus Send(
        ReadOnlySpan<byte> payload, ushort type, Deadline deadline, out long number, CancellationToken token)
    {
        do
        {
            number = 0;
            IpcStatus status = Claim(payload.Length, out Span<byte> claimed, deadline, token);
            if (status != IpcStatus.Ok)
                return status;
            payload.CopyTo(claimed);
            number = Commit(payload.Length, type);
        }
        while (number == 0); // begun anew meanwhile, or closed: then the next claim says so
        return IpcStatus.Ok;
    }

    /// <summary>Receives the next message, in place, if there is one. It may be called again before
    /// <see cref="Acknowledge"/>, to read ahead. Never waits, never logs in.</summary>
    /// <exception cref="CorruptRegionException">The other side has written what is no message, or one with a number
    /// that does not follow; both numbers are in the text.</exception>
    [MethodImpl(Tiering.Optimized)]
    public bool TryReceive(out NamedMessage message)
    {
        _receiving = Ends;
        return _receiving.TryReceive(out message);
    }

    /// <summary>Receives the next message, waiting for it. A client without a session logs in, at once and then after
    /// pauses that grow to a second, unless <see cref="NamedConnectionOptions.Reconnect"/> is off; with
    /// <see cref="Deadline.Now"/> it does not.</summary>
    /// <returns>Ok; Timeout; Stopped; Cancelled; Closed. PeerClosed or PeerDied: everything is received, the other side
    /// has gone, and this one does not log in by itself. A server waits for its client to come back, whom
    /// <c>NamedListener.Next</c> lets in: a program that has no other thread for that waits for
    /// ever.</returns>
    /// <exception cref="CorruptRegionException">As <see cref="TryReceive"/>.</exception>
    /// <exception cref="ConnectionRefusedException">The server refuses this client.</exception>
    /// <exception cref="IpcException">Logging in failed otherwise than for want of a server.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Receive(
        out NamedMessage message, Deadline deadline, CancellationToken cancellationToken = default) =>
        TryReceive(out message) ? IpcStatus.Ok : ReceiveWaiting(out message, deadline, cancellationToken);

    /// <summary>Receives the next message, waiting for it no longer than <paramref name="timeout"/>. It reads the clock
    /// only if it has to wait. See <see cref="Receive(out NamedMessage, Deadline, CancellationToken)"/>; zero is as
    /// <see cref="Deadline.Now"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative, and not
    /// <c>Timeout.InfiniteTimeSpan</c>.</exception>
    [MethodImpl(Tiering.Optimized)]
    public IpcStatus Receive(
        out NamedMessage message, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline.Check(timeout, nameof(timeout));
        return TryReceive(out message)
            ? IpcStatus.Ok
            : ReceiveWaiting(out message, Deadline.After(timeout), cancellationToken);
    }

    /// <summary>Says that the messages up to number <paramref name="sequence"/> are done: they never come again, and
    /// their memory is the sender's. Their spans must not be used any more.</summary>
    /// <param name="sequence">Of a message that was received; more than that is all that were. What is acknowledged
    /// already is not acknowledged again.</param>
    [MethodImpl(Tiering.Optimized)]
    public void Acknowledge(long sequence = long.MaxValue) =>
        _receiving.Acknowledge(sequence < 0 ? 0 : (ulong)sequence, isWatched: !IsClient);

    /// <summary>All waits return Stopped, now and until <see cref="Resume"/>.</summary>
    public void Stop()
    {
        Atomic.Exchange(ref _stopped, 1); // before the look: ends that come later look at it
        NamedEnds ends = Ends;
        ends.Writer.Stop();
        ends.Reader.Stop();
        EndLogin();
    }

    /// <summary>Lets waits work again after <see cref="Stop"/>.</summary>
    public void Resume()
    {
        Atomic.Exchange(ref _stopped, 0);
        NamedEnds ends = Ends;
        ends.Writer.Resume();
        ends.Reader.Resume();
    }

    /// <summary>Ends the session with the code Normal and leaves; messages stay for who comes next under this name.
    /// Waits of other threads return Closed.</summary>
    public void Dispose() => Close(CloseCode.Normal);

    /// <summary>Ends the session with a reason and leaves; messages stay for who comes next under this name. Waits of
    /// other threads return Closed. It may be called on any thread, and more than once.</summary>
    /// <param name="code">Any code but None.</param>
    /// <param name="text">For the client, on a server: at most 240 bytes of UTF-8.</param>
    public void Close(CloseCode code, string? text = null)
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;
        EndLogin();
        _listener?.Forget(this); // no login comes any more
        NamedEnds ends = Ends;
        Connection? session = ends.Session;
        session?.Shutdown(code, text);
        session?.Dispose();
        // its client is to come again: this object will not answer, and nothing is said against it
        Atomic.Exchange(ref _asked, null)?.RefuseWith(
            CloseCode.Shutdown, text ?? "The server has let this conversation go: try again.");
        ends.Dispose();
        Ends.Dispose(); // a reset may have replaced it meanwhile
    }
}
