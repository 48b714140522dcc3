using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Ipc.Rpc;

// Whoever reads the connection puts items in, the handler takes them out; one lock guards everything. The caller may
// send 32 items unasked. When the handler begins to enumerate it gets the whole window, and from then on more whenever
// half of the window has been consumed: a slow handler stops its caller and nobody else, and one that never looks at
// its stream costs 32 items, or 64 KiB and one item.

/// <summary>The stream that a caller sends: can be enumerated once.</summary>
internal sealed class IncomingItems<T> : IncomingItems, IAsyncEnumerable<T>, IAsyncEnumerator<T>, IValueTaskSource<bool>
{
    private readonly Queue<(T Item, int Cost)> _items = new();
    private readonly ServerCall _call;
    private readonly MessageCodec<T> _codec;
    private readonly int _firstMore; // what the window has beyond what a caller may send unasked
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };
    private CancellationToken _token;
    private CancellationTokenRegistration _cancelled;
    private CancellationTokenRegistration _enumerationCancelled;
    private Exception? _failure;
    private ItemWindow _window;
    private bool _enumerated;
    private bool _waiting; // MoveNextAsync has returned _core
    private bool _ended;
    private bool _disposed; // nobody wants any more
    private bool _isOver; // the call is

    public IncomingItems(ServerCall call, MessageCodec<T> codec, int window)
    {
        _call = call;
        _codec = codec;
        _window = new ItemWindow(window, FrameHeader.FirstClientCredit);
        _firstMore = Math.Max(0, window - FrameHeader.FirstClientCredit);
    }

    public T Current { get; private set; } = default!;

    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        ItemCredit more;
        lock (_items)
        {
            if (_enumerated)
                throw new InvalidOperationException("The stream of a caller can be enumerated once.");

            _enumerated = true;
            _window.Consume(_firstMore, 0);
            more = _window.TakeAll();
        }

        Give(more);
        CancellationToken handlers = _token = _call.Token;
        _cancelled = handlers.Register(
            static state => ((IncomingItems<T>)state!).Cancel(ofCall: true), this, useSynchronizationContext: false);
        if (cancellationToken.CanBeCanceled && cancellationToken != handlers)
            Register(cancellationToken);
        return this;
    }

    public ValueTask<bool> MoveNextAsync()
    {
        Exception? failure;
        bool moved;
        ItemCredit credit = default;
        lock (_items)
        {
            if (_waiting)
                throw new InvalidOperationException("The previous MoveNextAsync has not completed.");

            // other failures come after the items before them
            moved = _items.Count != 0 && _failure is not OperationCanceledException;
            failure = _failure;
            if (moved)
            {
                credit = Take();
            }
            else if (!_ended && !_disposed && failure is null)
            {
                _core.Reset();
                _waiting = true;
                return new ValueTask<bool>(this, _core.Version);
            }
        }

        Give(credit);
        return moved || failure is null
            ? new ValueTask<bool>(moved)
            : new ValueTask<bool>(Task.FromException<bool>(failure));
    }

    public ValueTask DisposeAsync()
    {
        _cancelled.Dispose();
        _enumerationCancelled.Dispose();
        lock (_items)
        {
            _disposed = true;
            _items.Clear();
        }

        return default;
    }

    public override RpcFailure? OnItem(in FrameHeader header, ReadOnlySpan<byte> body)
    {
        int cost = (int)FlowRules.CostOf(FrameHeader.Size + body.Length);
        lock (_items)
        {
            if (_ended || _failure is not null)
                return null; // an item after the end is dropped
            if (!_window.TryReceive(cost, header.Code == FlowRules.Waited && _waiting))
                return new RpcFailure(
                    RpcStatus.ResourceExhausted,
                    "More items of a call to " + _call.Handler.Method.FullName + " came than credit was given for.");
        }

        T item;
        try
        {
            item = _codec.Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            return new RpcFailure(
                RpcStatus.InvalidArgument,
                "An item of a call to " + _call.Handler.Method.FullName + " could not be decoded: " + ErrorText.Of(e),
                inner: e);
        }

        lock (_items)
        {
            if (_disposed || _failure is not null)
                return null;

            _items.Enqueue((item, cost));
            if (!_waiting)
                return null;

            _waiting = false; // its credit, if any is due, is given by GetResult
            Dequeue();
        }

        _core.SetResult(true);
        return null;
    }

    public override void OnEnd()
    {
        lock (_items)
        {
            _ended = true;
            if (!_waiting)
                return;
            _waiting = false;
        }

        _core.SetResult(false);
    }

    public override void Fail(Exception reason)
    {
        lock (_items)
        {
            if (_failure is not null || (_ended && reason is not OperationCanceledException))
                return;

            _failure = reason;
            if (!_waiting)
                return;
            _waiting = false;
        }

        _core.SetException(reason);
    }

    public override void Over()
    {
        Fail(new OperationCanceledException("The call is over."));
        CancellationTokenRegistration enumeration;
        lock (_items)
        {
            enumeration = _enumerationCancelled;
            _isOver = true;
        }

        // the token may live as long as the program, and a handler need not dispose what it has enumerated by hand
        enumeration.Dispose();
    }

    bool IValueTaskSource<bool>.GetResult(short token)
    {
        bool moved = _core.GetResult(token);
        ItemCredit credit;
        lock (_items)
            credit = CreditDue();
        Give(credit);
        return moved;
    }

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        => _core.OnCompleted(continuation, state, token, flags);

    private void Register(CancellationToken enumeration)
    {
        CancellationTokenRegistration registration = enumeration.Register(
            static state => ((IncomingItems<T>)state!).Cancel(ofCall: false), this, useSynchronizationContext: false);
        lock (_items)
        {
            if (!_isOver)
            {
                _enumerationCancelled = registration;
                return;
            }
        }

        registration.Dispose();
    }

    private void Cancel(bool ofCall)
        => Fail(new OperationCanceledException("The stream of a caller was cancelled.", ofCall ? _token : default));

    private ItemCredit Take()
    {
        Dequeue();
        return CreditDue();
    }

    private void Dequeue()
    {
        (Current, int cost) = _items.Dequeue();
        _window.Consume(1, cost);
    }

    private ItemCredit CreditDue() =>
        _ended || _disposed || _failure is not null || !_window.IsDue ? default : _window.TakeAll();

    private void Give(ItemCredit credit)
    {
        if (!credit.IsNothing && !_call.IsAnswered)
            _call.Callee.Link.SendCredit(_call, credit);
    }
}
