using System;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>The deadline of the request that is being handled: calls that a handler makes inherit it.</summary>
public static class RpcDeadline
{
    private static readonly AsyncLocal<Boxed?> _flowing = new();
    [ThreadStatic]
    private static ulong _ofThread; // 0: none. A synchronous handler's; an asynchronous one's flows with its tasks
    private static bool _used; // most processes never see a deadline; their calls skip the look-up

    /// <summary>The deadline of the request being handled here, or <see cref="Deadline.Never"/>.</summary>
    public static Deadline Current
    {
        get
        {
            if (!Volatile.Read(ref _used))
                return Deadline.Never;

            ulong moment = _ofThread != 0 ? _ofThread : _flowing.Value?.Moment ?? 0;
            return moment == 0 ? Deadline.Never : Deadline.FromNanoseconds(moment);
        }
    }

    internal static void EnterThread(ulong moment)
    {
        if (moment == 0)
            return;

        Volatile.Write(ref _used, true);
        _ofThread = moment;
    }

    internal static void LeaveThread() => _ofThread = 0;

    internal static void Flow(ulong moment)
    {
        Volatile.Write(ref _used, true);
        _flowing.Value = new Boxed(moment);
    }

    private sealed class Boxed
    {
        public Boxed(ulong moment) => Moment = moment;

        public ulong Moment { get; }
    }
}
