using System;
using System.Threading;

namespace Ipc.Rpc;

// Tokens live longer than calls: an application's for as long as it runs. So what a call leaves with one is taken back
// when the call ends, by whoever ends it, and not when its caller comes to look at it, which may be never. To be there
// before any of that can happen it is left before the request is sent; a token that fires in between finds nothing to
// end, and who has sent looks once more (AreTriggered).

/// <summary>What cancels a call that outlives the method that makes it: its caller's token, that of the handler in
/// which it is made, and that of an enumeration.</summary>
internal struct CallTokens
{
    private readonly CancellationToken _own;
    private readonly CancellationToken _handler;
    private readonly CancellationToken _enumeration;
    private CancellationTokenRegistration _first;
    private CancellationTokenRegistration _second;
    private CancellationTokenRegistration _third;
    private bool _registered;

    /// <param name="own">The caller's.</param>
    /// <param name="handler">Of the handler in which the call is made; see <see cref="CallScope.HandlerOf"/>.</param>
    /// <param name="enumeration">Of one enumeration of a stream.</param>
    public CallTokens(CancellationToken own, CancellationToken handler, CancellationToken enumeration = default)
    {
        _own = own;
        _handler = handler;
        _enumeration = enumeration;
        _first = _second = _third = default;
        _registered = false;
    }

    public readonly bool CanFire => _own.CanBeCanceled || _handler.CanBeCanceled || _enumeration.CanBeCanceled;

    public readonly bool AreTriggered =>
        _own.IsCancellationRequested || _handler.IsCancellationRequested || _enumeration.IsCancellationRequested;

    /// <summary>The one that has fired; the caller's while none has.</summary>
    public readonly CancellationToken Triggered
        => _enumeration.IsCancellationRequested
            ? _enumeration
            : _own.IsCancellationRequested || !_handler.IsCancellationRequested ? _own : _handler;

    public readonly void ThrowIfTriggered()
    {
        if (AreTriggered)
            Triggered.ThrowIfCancellationRequested();
    }

    /// <summary>Lets them cancel a call.</summary>
    public void Register(Action<object?> cancel, object call)
    {
        if (!CanFire)
            return;

        _registered = true;
        try
        {
            if (_own.CanBeCanceled)
                _first = _own.Register(cancel, call, useSynchronizationContext: false);
            if (_handler.CanBeCanceled)
                _second = _handler.Register(cancel, call, useSynchronizationContext: false);
            if (_enumeration.CanBeCanceled)
                _third = _enumeration.Register(cancel, call, useSynchronizationContext: false);
        }
        catch
        {
            Unregister(); // there will be no call that does
            throw;
        }
    }

    /// <summary>Takes back what was left with them. A callback that runs on another thread is waited for: it only finds
    /// that somebody else has ended the call.</summary>
    public void Unregister()
    {
        if (!_registered)
            return;

        _registered = false;
        _first.Dispose();
        _second.Dispose();
        _third.Dispose();
        _first = _second = _third = default;
    }
}
