using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>An event between processes: set or not. Any number of threads.</summary>
public sealed unsafe class NativeSharedEvent : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _made;

    private NativeSharedEvent(IntPtr made)
    {
        _made = made;
        _owner = new NativeHandle(made, NativeMethods.ipc_shared_event_stop, NativeMethods.ipc_shared_event_close);
    }

    /// <summary>It stays set until it is reset, as its creator chose.</summary>
    public bool IsManualReset
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_shared_event_is_manual_reset(_made) != 0;
        }
    }

    /// <summary>Opens the event of that name.</summary>
    /// <exception cref="NativeException">The errors of <c>ipc_shared_event_open</c>.</exception>
    public static NativeSharedEvent Open(string name, NativeSyncOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeSyncOptions();
        SyncOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr made;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_shared_event_open(text, &data, &made));
        return new NativeSharedEvent(made);
    }

    /// <summary>Lets pass who waits: everybody until the reset, when that is manual, or one.</summary>
    public void Set()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_event_set(_made);
    }

    /// <summary>Takes a set back.</summary>
    public void Reset()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_event_reset(_made);
    }

    /// <summary>Waits until it is set, and takes that back unless the reset is manual. Ok, or Timeout, Stopped, Cancelled, Closed.</summary>
    public NativeStatus Wait(NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_shared_event_wait(_made, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Waits return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_event_stop(_made);
    }

    /// <summary>Takes <see cref="Stop"/> back.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_event_resume(_made);
    }

    /// <summary>Leaves; threads that wait in a call of this object get <see cref="NativeStatus.Closed"/>.</summary>
    public void Dispose() => _owner.Leave();
}
