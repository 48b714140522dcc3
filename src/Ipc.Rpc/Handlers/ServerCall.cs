using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

// Several may want to end a call: its handler with an answer, and whoever reads the connection, when the caller breaks
// the rules of the call (a second request with its id, items without credit). The state word decides [answer]: who sets
// Answered sends the last frame.
//
// Most calls are over before anything else can be read from their connection. Those are never in the connection's
// table; one that a standby has taken over meanwhile, or that is asynchronous, is put there by Track.

/// <summary>A request that is being handled.</summary>
/// <remarks>Used again for the next request when nobody else ever saw it: its handler returned at once and was not
/// cancelled. Its token is not: whoever got it may have kept it. It is made when somebody asks for it, so calls of
/// methods that take none cost none.</remarks>
internal sealed partial class ServerCall : IDisposable, IOnceCall
{
    private const int Tracked = 1;
    private const int Answered = 2;

    private Source? _source; // [made]
    private Alarm? _alarm; // [once]
    private CallHead? _head;
    private RpcContext? _context; // [made]
    private int _state;
    private int _cancelled; // [flag]
    private bool _armed;
    private bool _kept;

    public ServerCall(Callee callee) => Callee = callee;

    public Callee Callee { get; }

    public RpcHandler Handler { get; private set; } = null!;

    public FrameHeader Header { get; private set; }

    /// <summary>How its messages are written.</summary>
    public CallFormat Format { get; private set; } = CallFormat.Generated;

    /// <summary>What came before the request message; <see langword="null"/> for nothing.</summary>
    public CallHead? Head => _head;

    /// <summary>Of the stream that is its answer; <see langword="null"/> if that is none.</summary>
    public StreamCredit? Credit { get; set; }

    /// <summary>The stream of its caller; <see langword="null"/> if there is none.</summary>
    public IncomingItems? Incoming { get; set; }

    /// <summary>What it has to pass before its handler begins; <see langword="null"/> for nothing, the usual
    /// case.</summary>
    public CallTurns? Turns { get; set; }

    /// <summary>If it is executed once, and this is the request that it is executed for, until it has an outcome: what
    /// is remembered of it.</summary>
    public OnceEntry? Once { get; set; }

    /// <summary>What listeners are told of it; nothing while nobody listens.</summary>
    public CallSpan Span { get; set; }

    /// <summary>Fires when nobody waits for the call any more; this one's and no other's.</summary>
    public CancellationToken Token => (Volatile.Read(ref _source) ?? MakeSource()).Kept;

    public bool IsCancelled =>
        Volatile.Read(ref _cancelled) != 0 || Volatile.Read(ref _source) is { IsCancellationRequested: true };

    /// <summary>Whether nobody wants what its handler returns: it was cancelled, or its deadline has passed, whether or
    /// not the token has fired.</summary>
    public bool IsUnwanted =>
        IsCancelled || (Header.Deadline != 0 && Deadline.FromNanoseconds(Header.Deadline).HasPassed);

    /// <summary>Of an unwanted call: whether that is the deadline's doing.</summary>
    public bool IsOverdue => Volatile.Read(ref _cancelled) == 0;

    /// <summary>Whether the last frame has been, or is being, sent.</summary>
    public bool IsAnswered => (Volatile.Read(ref _state) & Answered) != 0; // [answer]

    /// <summary>Whether its handler counts among those that keep a thread (<see cref="Callee.ComeBack"/>). Set under
    /// the callee's lock.</summary>
    public bool IsStuck { get; set; }

    public bool IsTracked => (Volatile.Read(ref _state) & Tracked) != 0; // [answer]

    /// <summary>What its handler sees of it. Made when it is first asked for; the call is not used again
    /// then.</summary>
    public RpcContext Context
    {
        get
        {
            if (Volatile.Read(ref _context) is { } context)
                return context;

            var made = new RpcContext(this);
            return Interlocked.CompareExchange(ref _context, made, null) ?? made;
        }
    }

    /// <summary>What the answer says beside its message; <see langword="null"/> for nothing.</summary>
    public RpcMetadata? ResponseMetadata => Volatile.Read(ref _context)?.ResponseMetadataOrNull;

    [MethodImpl(Tiering.Optimized)]
    public void Begin(RpcHandler handler, in FrameHeader header, CallHead? head, CallFormat format)
    {
        Handler = handler;
        Header = header;
        Format = format;
        _head = head;
        Volatile.Write(ref _state, 0); // [answer]
    }

    /// <summary>The codec of one of its messages.</summary>
    public MessageCodec<T> CodecFor<T>(MessageCodec<T> generated) => Format.CodecFor(generated);

    /// <summary>Takes the right to send the last frame.</summary>
    /// <returns><see langword="false"/> when somebody else has it.</returns>
    public bool TryAnswer() => TrySet(Answered, unless: Answered); // [answer]

    /// <summary>Marks it as found in the table; under the callee's lock.</summary>
    public bool TryTrack() => TrySet(Tracked, unless: Tracked | Answered);

    /// <summary>Makes it ready for another request.</summary>
    /// <returns><see langword="false"/> when its token has fired or may still fire, or somebody may still look at
    /// it.</returns>
    [MethodImpl(Tiering.Optimized)]
    public bool TryReset()
    {
        if (_armed || _kept || IsCancelled || Credit is not null || Incoming is not null || Turns is not null ||
            IsTracked)
        {
            return false;
        }

        if (_context is { } context && !context.TryPart())
            return false; // its token has been asked for there

        _context = null; // an asynchronous handler's: it has its own copy of everything
        _head = null;
        _source?.Dispose();
        _source = null;
        return true;
    }

    /// <summary>Somebody keeps the call longer than its handler runs.</summary>
    public void Keep() => _kept = true;

    /// <summary>Lets the token fire at the deadline. Only for calls that are not over at once: most are.</summary>
    public void ArmDeadline()
    {
        if (Header.Deadline == 0 || _armed)
            return;

        Volatile.Write(ref _armed, true);
        Interlocked.MemoryBarrier(); // [token] who makes the source sees this, or we see the source
        if (Volatile.Read(ref _source) is { } source)
            SetAlarm(source);
    }

    /// <summary>Fires the token, on the thread pool: what handlers have registered must not hold up who
    /// reads.</summary>
    public void Cancel()
    {
        if (Interlocked.Exchange(ref _cancelled, 1) == 0) // [token]
            ThreadPool.UnsafeQueueUserWorkItem(static state => ((ServerCall)state!).Fire(), this);
    }

    public void Dispose()
    {
        Interlocked.Exchange(ref _alarm, null)?.Release(); // [once]
        _source?.Dispose();
    }

    void IOnceCall.Answer(OnceOutcome outcome) => Callee.AnswerRepeat(this, outcome);

    [MethodImpl(Tiering.Optimized)]
    private bool TrySet(int bit, int unless)
    {
        int state = Volatile.Read(ref _state); // [answer]
        while ((state & unless) == 0)
        {
            int seen = Interlocked.CompareExchange(ref _state, state | bit, state); // [answer]
            if (seen == state)
                return true;
            state = seen;
        }

        return false;
    }

    private Source MakeSource()
    {
        var made = new Source();
        if (Interlocked.CompareExchange(ref _source, made, null) is { } other) // [token]
        {
            made.Dispose();
            return other;
        }

        if (Volatile.Read(ref _cancelled) != 0) // [token]
            made.Cancel(); // nobody has registered yet
        else if (Volatile.Read(ref _armed)) // [token]
            SetAlarm(made);
        return made;
    }

    /// <summary>Two threads may be here, when one asks for the token just as another lets it fire.</summary>
    private void SetAlarm(Source source)
    {
        Alarm? alarm = Alarm.Set(source, Deadline.FromNanoseconds(Header.Deadline));
        if (Interlocked.CompareExchange(ref _alarm, alarm, null) is not null) // [once]
            alarm?.Release();
    }

    private void Fire()
    {
        try
        {
            // [token] whoever makes it from here on sees that the call is cancelled
            Volatile.Read(ref _source)?.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The call ended first.
        }
        catch (AggregateException)
        {
            // A handler's own registration threw; the handler sees its token all the same.
        }
    }

    /// <summary>A source whose token can be had after it was disposed.</summary>
    private sealed class Source : CancellationTokenSource
    {
        public Source() => Kept = Token;

        public CancellationToken Kept { get; }
    }
}
