using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Ipc.Rpc;

// The reading thread puts items into a small queue, the consumer takes them out; one lock guards the queue and
// everything else here. The server may send as much as it has credit for; the consumer gives more when half of the
// window has been consumed, so a slow consumer stops its producer and nobody else. More items than credit is a breach
// of protocol. Bytes count as consumed as soon as the consumer has taken the queue that they are in.
//
// A consumer that finds the queue filled takes all of it, by exchanging it for the one that it has emptied: it needs
// the lock once for all these items, unless the stream has ended meanwhile.
//
// The terms know the client's lease. An enumeration that is over lets go of them: its consumer may hold it for long (in
// a field, in an awaiter on a stack, in a caller's stream whose source does not come back), and the client would never
// be forgotten.

/// <summary>One enumeration of a stream.</summary>
internal sealed class StreamCall<TRequest, TItem> : PendingCall, IAsyncEnumerator<TItem>, IValueTaskSource<bool>
{
    private readonly object _gate = new();
    private readonly ICallRoute _route;
    private readonly MessageCodec<TItem> _codec;
    private readonly Upload? _upload;
    private readonly int _items;
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };
    private StreamTerms<TRequest, TItem>? _terms; // the consumer's; null: it knows that this is over
    private CallEngine? _engine; // null: not sent yet
    private bool _begun; // the consumer's: it was sent, or waits for a connection
    private CallTokens _tokens;

    private TItem?[] _queue = new TItem?[16];
    private PendingSlot? _slot;
    private uint _use;
    private ulong _callId;
    private int _count; // [peek] from 0 on: what is taken is taken whole
    private TItem?[] _taken = new TItem?[16]; // this and the next two: the consumer's
    private int _takenHead;
    private int _takenCount;
    private int _consumed; // items, the consumer's: since credit was last given
    private ItemWindow _window;
    private long _queuedBytes;
    private bool _polling; // the consumer has nothing, and looks for something; a hint
    private bool _waiting; // MoveNextAsync has returned _core
    private bool _ended; // [peek]
    private RpcFailure? _failure;

    public StreamCall(ICallRoute route, StreamTerms<TRequest, TItem> terms, Upload? upload, CallTokens tokens)
    {
        _route = route;
        _terms = terms;
        _codec = terms.Items;
        _upload = upload;
        Method = terms.Method;
        _tokens = tokens;
        _items = route.StreamWindow;
        _window = new ItemWindow(_items, _items);
    }

    public override bool HasNews =>
        _takenHead != _takenCount || Volatile.Read(ref _count) != 0 || Volatile.Read(ref _ended);

    public override int ReadsAhead => 63; // of a window of 512, so that the server need not wait for what is given back

    public TItem Current { get; private set; } = default!;

    public ValueTask<bool> MoveNextAsync()
    {
        if (_takenHead != _takenCount && !Volatile.Read(ref _ended) && (_consumed + 1) * 2 < _items)
        {
            Dequeue();
            return new ValueTask<bool>(true);
        }

        if (!_begun)
        {
            if (_terms is null)
                return new ValueTask<bool>(false); // disposed before it began
            Send(_terms);
            _begun = true;
        }

        RpcLink? link = Volatile.Read(ref _engine)?.Link; // [engine] none: the connection that takes it will be read
        if (link is not null && !HasNews)
        {
            RpcBatch.BeforeWait(link);
            _polling = true;
            link.Poll(this); // items that are there come without a thread being woken
            _polling = false;
        }

        ItemCredit credit = default;
        bool moved;
        bool waits = false;
        lock (_gate)
        {
            if (_waiting)
                throw new InvalidOperationException("The previous MoveNextAsync has not completed.");

            if (_takenHead == _takenCount)
                TakeAll();
            // other failures come after the items before them
            moved = _takenHead != _takenCount && _failure?.Status != RpcStatus.Cancelled;
            if (moved)
            {
                Dequeue();
                credit = CreditDue();
            }
            else if (!_ended)
            {
                _core.Reset();
                _waiting = true;
                if (link is not null)
                    TryAttend(link);
                waits = true;
            }
        }

        if (waits)
        {
            link?.WakeReader();
            return new ValueTask<bool>(this, _core.Version);
        }

        Give(credit);
        if (!moved)
            Tell();
        return moved || _failure is null
            ? new ValueTask<bool>(moved)
            : new ValueTask<bool>(Task.FromException<bool>(Failure()));
    }

    public ValueTask DisposeAsync()
    {
        Cancel();
        _upload?.Stop();
        lock (_gate)
        {
            _ended = true;
            _count = _takenHead = _takenCount = 0;
            _queue = _taken = Array.Empty<TItem?>();
        }

        _terms = null;
        return default;
    }

    public override string? OnItem(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        TItem item;
        try
        {
            item = _codec.Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this stream's failure, not the reading thread's
        catch (Exception e)
#pragma warning restore CA1031
        {
            _engine!.EndCall(this, _slot!, _use, Undecodable(e));
            return null;
        }

        bool excess = false;
        lock (_gate)
        {
            if (_ended)
                return null;

            long cost = FlowRules.CostOf(FrameHeader.Size + body.Length);
            excess = !_window.TryReceive(
                cost, header.Code == FlowRules.Waited && _count == 0 && (_waiting || _polling));
            if (!excess)
            {
                _queuedBytes += cost;
                Enqueue(item);
                if (!_waiting)
                    return null;

                TakeAll(); // it waits: it has nothing
                Dequeue();
                _waiting = false;
                Unattend(_engine!.Link);
            }
        }

        if (excess)
        {
            string text = "More items came from " + Method.FullName + " than it was given credit for.";
            _engine!.EndCall(this, _slot!, _use, new RpcFailure(RpcStatus.ResourceExhausted, text));
            return null;
        }

        _core.SetResult(true);
        return null;
    }

    public override string? OnResponse(ReadOnlySpan<byte> body)
    {
        string wrong = Wrong("response");
        OnFailure(new RpcFailure(RpcStatus.DataLoss, wrong));
        return wrong;
    }

    public override string? OnEnd()
    {
        End(null);
        return null;
    }

    public override void OnFailure(RpcFailure failure) => End(failure);

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        if (_core.GetStatus(token) is ValueTaskSourceStatus.Faulted or ValueTaskSourceStatus.Canceled)
            Tell(); // before its consumer has the failure
        bool moved = _core.GetResult(token);
        ItemCredit credit;
        lock (_gate)
            credit = moved ? CreditDue() : default;
        Give(credit);
        if (!moved)
            Tell();
        return moved;
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _core.OnCompleted(continuation, state, token, flags);

    private void Send(StreamTerms<TRequest, TItem> terms)
    {
        _tokens.ThrowIfTriggered();
        var how = new CallRequest(
            terms.Setup,
            Ipc.Deadline.Earlier(terms.Setup.Until, RpcDeadline.Current),
            _tokens.Triggered,
            (ushort)_items,
            terms.Flags);
        Deadline = how.Deadline.Nanoseconds;
        _tokens.Register(static state => ((StreamCall<TRequest, TItem>)state!).Cancel(), this);
        bool sent;
        try
        {
            sent = _route.Send(Method, terms.Requests, in terms.Request, this, in how);
        }
        catch
        {
            _tokens.Unregister();
            Cancel(); // if it was sent all the same
            throw;
        }

        if (_tokens.AreTriggered) // perhaps in the moment before there was something to cancel
            Cancel();
        if (sent)
            _upload?.Start(_engine!, this);
    }

    /// <summary>The request is about to be sent on a connection: frames may come at once.</summary>
    public override void OnSending(CallEngine engine)
    {
        _slot = Slot;
        _use = Use;
        _callId = CallId;
        Volatile.Write(ref _engine, engine); // [engine]
    }

    public override string? OnCredit(ItemCredit more) => _upload?.OnCredit(more);

    /// <inheritdoc/>
    public override bool HasSource => _upload is not null;

    /// <inheritdoc/>
    public override void StartSource(CallEngine engine) => _upload!.Start(engine, this);

    private void Cancel()
    {
        RpcFailure failure = RpcFailure.Cancelled(Method);
        // [engine] it may be taken at this moment: then there is an engine afterwards
        if (Early?.TryEnd(failure) != true)
            Volatile.Read(ref _engine)?.EndCall(this, _slot!, _use, failure);
    }

    /// <summary>Hands over the metadata of the answer, once, on the thread of the consumer.</summary>
    private void Tell()
    {
        if (_terms is not { } terms)
            return;

        _terms = null;
        terms.Setup.Tell(this);
    }

    private void End(RpcFailure? failure)
    {
        _tokens.Unregister();
        bool wake;
        lock (_gate)
        {
            if (_ended)
                return;

            _ended = true;
            _failure = failure;
            wake = _waiting;
            _waiting = false;
        }

        _upload?.Stop();
        if (!wake)
            return;
        if (failure is null)
            _core.SetResult(false);
        else
            _core.SetException(Failure());
    }

    private Exception Failure() => ExceptionOf(_failure!, _engine?.Link, _tokens.Triggered);

    private void Enqueue(TItem item)
    {
        if (_count == _queue.Length)
            Array.Resize(ref _queue, Math.Max(16, _count * 2));
        _queue[_count++] = item;
    }

    /// <summary>Hands the queue to the consumer, whose own is empty. Under the lock.</summary>
    private void TakeAll()
    {
        (_queue, _taken) = (_taken, _queue);
        _takenHead = 0;
        _takenCount = _count;
        _count = 0;
        _window.Consume(0, _queuedBytes);
        _queuedBytes = 0;
    }

    private void Dequeue()
    {
        Current = _taken[_takenHead]!;
        _taken[_takenHead++] = default;
        _consumed++;
    }

    private ItemCredit CreditDue()
    {
        if (_ended || (_consumed * 2 < _items && !_window.IsDue))
            return default;

        _window.Consume(_consumed, 0);
        _consumed = 0;
        return _window.TakeAll();
    }

    private void Give(ItemCredit credit)
    {
        if (!credit.IsNothing)
            _engine!.SendCredit(_callId, credit);
    }
}
