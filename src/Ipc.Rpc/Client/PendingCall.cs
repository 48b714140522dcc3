using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>A call or stream that waits for frames. Its methods are called by whichever thread reads the
/// connection.</summary>
/// <remarks>Those that end it are called by whoever ended its slot, hence once. What they return, if not null, is what
/// the callee did against the protocol.</remarks>
internal abstract class PendingCall
{
    private const int Unattended = 0;
    private const int Attended = 1;
    private const int Over = 2;

    private readonly bool _hasThread;
    private int _attendance;
    private ulong _deadline = ulong.MaxValue;
    private Lateness _lateness;

    /// <param name="hasThread">Whether a thread waits for it, so that nobody ever has to read for it.</param>
    private protected PendingCall(bool hasThread = false) => _hasThread = hasThread;

    /// <summary>Where it waits: set when a slot is reserved for it.</summary>
    public PendingSlot Slot { get; set; } = null!;

    /// <summary>Which use of the slot it is.</summary>
    public uint Use { get; set; }

    /// <summary>Its request, if it found no room in the ring: set before its slot is opened.</summary>
    public QueuedFrame? Queued { get; set; }

    /// <summary>Where in the ring its request was put, unless it found no room: set before its slot is
    /// opened.</summary>
    public long SentAt { get; set; }

    /// <summary>Where it waited, or waits, for a connection; <see langword="null"/> when there was one.</summary>
    public EarlyRequest? Early { get; set; }

    /// <summary>What is being called.</summary>
    public RpcMethod Method { get; set; } = null!;

    /// <summary>When it ends by itself; the largest number is never.</summary>
    public ulong Deadline
    {
        get => _deadline;
        set
        {
            _deadline = value;
            _lateness = default;
        }
    }

    /// <summary>Its id on the wire while it has its slot.</summary>
    public ulong CallId => ((ulong)Use << 32) | Slot.Number;

    /// <summary>Whether nobody but a timer looks at its deadline.</summary>
    public virtual bool NeedsTimer => Deadline != ulong.MaxValue;

    /// <summary>Whether a thread waits for it, which may as well wait until there is room for its request.</summary>
    public bool HasThread => _hasThread;

    /// <summary>Whether what its consumer waits for is there.</summary>
    public virtual bool HasNews => false;

    /// <summary>How many frames besides its consumer reads when it comes for one.</summary>
    public virtual int ReadsAhead => 0;

    /// <summary>Whether its caller sends a stream with it.</summary>
    public virtual bool HasSource => false;

    /// <summary>The metadata of its answer, if one has come that had any. To be set before the call is ended.</summary>
    public RpcMetadata? AnswerMetadata { get; set; }

    /// <summary>Whether the callee ended it.</summary>
    public bool IsAnswered { get; set; }

    /// <summary>Its request is about to be published: frames may come at once.</summary>
    [MethodImpl(Tiering.Optimized)]
    public virtual void OnSending(CallEngine engine)
    {
    }

    /// <summary>Begins its caller's stream: its request has been sent.</summary>
    public virtual void StartSource(CallEngine engine)
    {
    }

    /// <summary>It ended with a response.</summary>
    public abstract string? OnResponse(ReadOnlySpan<byte> body);

    /// <summary>It ended without one.</summary>
    public abstract void OnFailure(RpcFailure failure);

    /// <summary>It ended as a stream that is complete.</summary>
    public virtual string? OnEnd() => Wrong("end");

    /// <summary>An item came; the call goes on.</summary>
    public virtual string? OnItem(in FrameHeader header, ReadOnlySpan<byte> body) => Wrong("item");

    /// <summary>The callee takes more items. One that did not ask for a stream never gets here; a late one means
    /// nothing.</summary>
    public virtual string? OnCredit(ItemCredit more) => null;

    /// <summary>A report of progress came; a caller that did not ask for it lets it go by.</summary>
    public virtual void OnProgress(ReadOnlySpan<byte> body)
    {
    }

    /// <summary>Says that its consumer waits without a thread, so that somebody else has to read.</summary>
    /// <returns><see langword="false"/> when there is no need: it is over, or somebody reads for it already.</returns>
    public bool TryAttend(RpcLink link)
    {
        link.AddAwaited();
        if (Interlocked.CompareExchange(ref _attendance, Attended, Unattended) == Unattended) // [attend]
            return true;

        link.RemoveAwaited();
        return false;
    }

    /// <summary>Its consumer has what it waited for, and waits no more.</summary>
    public void Unattend(RpcLink link)
    {
        if (Interlocked.CompareExchange(ref _attendance, Unattended, Attended) == Attended) // [attend]
            link.RemoveAwaited();
    }

    /// <summary>Whether its deadline, which has passed, may end it now (<see cref="Lateness"/>). Any thread.</summary>
    public bool IsOverdue(RpcLink link) => _lateness.EndsCall(_deadline, link.IsDrained, link.IsReaderAway);

    /// <summary>It has ended: nobody reads for it any more.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void EndAttendance(RpcLink link)
    {
        if (!_hasThread && Interlocked.Exchange(ref _attendance, Over) == Attended) // [attend]
            link.RemoveAwaited();
    }

    /// <summary>What its caller gets to see of a failure.</summary>
    private protected Exception ExceptionOf(RpcFailure failure, RpcLink? link, CancellationToken cancellationToken) =>
        failure.ToException(cancellationToken, Method, link?.Peer ?? Early?.Peer);

    /// <summary>Makes it ready for another use.</summary>
    [MethodImpl(Tiering.Optimized)]
    private protected void ResetCall()
    {
        _attendance = Unattended; // nobody else has it
        Queued = null;
        Early = null;
        AnswerMetadata = null;
        IsAnswered = false;
    }

    /// <summary>Fails with, and returns, the description of a frame that does not belong to this kind of
    /// call.</summary>
    private protected string Wrong(string frame)
        => "A frame of kind " + frame + " came for a call to " + Method.FullName + ", which is " + Method.Kind + ".";

    private protected RpcFailure Undecodable(Exception e)
        => new(
            RpcStatus.Internal,
            "What came back from " + Method.FullName + " could not be decoded: " + ErrorText.Of(e),
            null,
            e);
}
