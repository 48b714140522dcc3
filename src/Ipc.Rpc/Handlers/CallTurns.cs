namespace Ipc.Rpc;

// A call may have to pass two turnstiles before its handler begins: its connection's, which lets calls through one
// after another, and the server's, which bounds how many run at once. In this order, so that what waits for its
// predecessor takes no place.
//
// A handler that waits for a callback leaves them meanwhile: the callback may call again, and that call must not wait
// for the handler that waits for it. When it goes on it takes its places back without waiting, so for a moment there
// may be more than the limit says.

/// <summary>One call's way through the turnstiles.</summary>
internal sealed class CallTurns
{
    private readonly object _gate = new();
    private readonly Turnstile? _order;
    private readonly Turnstile? _limit;
    private bool _inOrder; // has passed and not left
    private bool _inLimit;
    private bool _orderPassed;
    private bool _backToOrder; // to be taken again after a callback
    private bool _backToLimit;
    private int _callbacks;
    private bool _over;

    public CallTurns(Turnstile? order, Turnstile? limit)
    {
        _order = order;
        _limit = limit;
    }

    /// <summary>Passes if it can be done at once and nobody is in line.</summary>
    public bool TryPass()
    {
        _orderPassed = _order is null || _order.TryPass();
        _inOrder = _orderPassed && _order is not null;
        if (!_orderPassed || (_limit is not null && !_limit.TryPass()))
            return false;

        _inLimit = _limit is not null;
        return true;
    }

    /// <summary>Goes on from where <see cref="TryPass"/> stood, getting in line where it has to; it is the thread that
    /// lets it in that starts it then.</summary>
    public void Queue(HeldCall call)
    {
        if (!_orderPassed)
        {
            if (!_order!.Pass(call))
                return;
            PassedOrder();
        }

        if (_limit is null || _limit.Pass(call))
            Begin(call);
    }

    /// <summary>The handler is over.</summary>
    public void Leave()
    {
        bool order;
        bool limit;
        lock (_gate)
        {
            _over = true;
            order = _inOrder;
            limit = _inLimit;
            _inOrder = _inLimit = false;
        }

        Leave(order, limit);
    }

    /// <summary>The next call of the connection may begin although this one goes on: it is a stream.</summary>
    public void LeaveOrder()
    {
        bool order;
        lock (_gate)
        {
            order = _inOrder;
            _inOrder = _backToOrder = false;
        }

        Leave(order, false);
    }

    /// <summary>The handler makes a call that may lead back here.</summary>
    public void BeginCallback()
    {
        bool order = false;
        bool limit = false;
        lock (_gate)
        {
            if (_callbacks++ == 0)
            {
                _backToOrder = order = _inOrder;
                _backToLimit = limit = _inLimit;
                _inOrder = _inLimit = false;
            }
        }

        Leave(order, limit);
    }

    /// <summary>That call is over.</summary>
    public void EndCallback()
    {
        lock (_gate)
        {
            if (--_callbacks != 0 || _over)
                return;

            if (_backToOrder)
                _order!.Return();
            if (_backToLimit)
                _limit!.Return();
            _inOrder = _backToOrder;
            _inLimit = _backToLimit;
        }
    }

    private static void LetIn(HeldCall? next, bool fromOrder)
    {
        if (next is null)
            return;

        CallTurns turns = next.Call.Turns!;
        if (!fromOrder)
        {
            turns.Begin(next);
            return;
        }

        turns.PassedOrder();
        if (turns._limit is null || turns._limit.Pass(next))
            turns.Begin(next);
    }

    private void PassedOrder()
    {
        lock (_gate)
            _orderPassed = _inOrder = true;
    }

    private void Begin(HeldCall call)
    {
        lock (_gate)
            _inLimit = _limit is not null;
        call.Call.Callee.StartHeld(call);
    }

    private void Leave(bool order, bool limit)
    {
        if (limit)
            LetIn(_limit!.Leave(), fromOrder: false);
        if (order)
            LetIn(_order!.Leave(), fromOrder: true);
    }
}
