using System;
using System.Threading;

namespace Ipc.Rpc;

// An asynchronous handler continues on any thread, and so may tasks that it leaves behind. What flows with them is one of these, in an AsyncLocal. It
// names its call, whose context is made when somebody asks, and for good when the handler's first part is over: from then on the flow belongs to that call alone.
//
// Most handlers return at once and leave nothing behind, and then nobody but this thread has ever seen the flow: it serves the thread's next call, and
// neither it nor the execution context that carries it is allocated again (0 instead of about 200 bytes per call). Whether that is so cannot be asked, but there is a
// sign: whoever keeps an execution context, a task, a timer, a registration, keeps it in an object that was made for that. A first part that has
// allocated nothing has left nothing behind. (One that allocates its response is taken for one that has: a flow too many harms nobody.)

/// <summary>What says in asynchronous code for which call it runs.</summary>
internal sealed class ContextFlow
{
    private static readonly AsyncLocal<ContextFlow?> _current = new();
    private static bool _isUsed; // most clients never handle a call: theirs skip the look-up

    private ServerCall? _call; // while its handler's first part runs
    private RpcContext? _context; // written before _call is cleared

    private ContextFlow()
    {
    }

    /// <summary>The context of the call that the calling code belongs to; <see langword="null"/> if it belongs to none.</summary>
    public static RpcContext? Current => Volatile.Read(ref _isUsed) ? _current.Value?.Resolve() : null;

    /// <summary>Lets the call's context flow from here on; what is started now belongs to it for ever. For asynchronous methods: it ends with them.</summary>
    public static void Set(ServerCall call)
    {
        ContextFlow flow = Create(call);
        flow.Keep(call);
    }

    private static ContextFlow Create(ServerCall call)
    {
        Volatile.Write(ref _isUsed, true);
        var flow = new ContextFlow { _call = call };
        _current.Value = flow;
        return flow;
    }

    private void Keep(ServerCall call)
    {
        Volatile.Write(ref _context, call.Context);
        Volatile.Write(ref _call, null);
    }

    private RpcContext? Resolve()
    {
        if (Volatile.Read(ref _context) is { } known)
            return known;

        RpcContext? context = Volatile.Read(ref _call)?.Context;
        return Volatile.Read(ref _context) ?? context; // a task looked just when the first part ended: the call may serve another request already
    }

    /// <summary>The first part of a handler: what it does until it returns, with its result or with a task.</summary>
    public readonly struct Part
    {
        private readonly ServerCall _call;
        private readonly ContextFlow _flow;
#if NET
        [ThreadStatic]
        private static ContextFlow? _spare; // seen by this thread alone
        [ThreadStatic]
        private static ExecutionContext? _spareWithin; // what it was made in
        [ThreadStatic]
        private static ExecutionContext? _spareContext; // that, with it

        private readonly ExecutionContext? _outer;
        private readonly long _allocated;
#else
        private readonly ContextFlow? _outer;
#endif

        /// <summary>It begins.</summary>
        public Part(ServerCall call)
        {
            _call = call;
#if NET
            _outer = ExecutionContext.Capture(); // nothing only when somebody suppressed the flow of this thread
            if (_outer is not null && _spare is { } spare && ReferenceEquals(_outer, _spareWithin))
            {
                _flow = spare;
                _flow._call = call;
                ExecutionContext.Restore(_spareContext!);
            }
            else
            {
                _flow = Create(call);
                _spare = _outer is null ? null : _flow;
                _spareWithin = _outer;
                _spareContext = _outer is null ? null : ExecutionContext.Capture();
            }

            _allocated = GC.GetAllocatedBytesForCurrentThread();
#else
            _outer = _current.Value;
            _flow = Create(call);
#endif
        }

        /// <summary>It is over, on the same thread.</summary>
        /// <param name="isComplete">Whether the handler is.</param>
        public void End(bool isComplete)
        {
#if NET
            bool seenHereOnly = isComplete && GC.GetAllocatedBytesForCurrentThread() == _allocated && ReferenceEquals(_flow, _spare);
            if (_outer is not null)
                ExecutionContext.Restore(_outer);
            else
                _current.Value = null;
            if (seenHereOnly)
            {
                _flow._call = null;
                return;
            }

            if (ReferenceEquals(_flow, _spare))
                _spare = null;
            _flow.Keep(_call);
#else
            _flow.Keep(_call);
            _current.Value = _outer;
            _ = isComplete;
#endif
        }
    }
}
