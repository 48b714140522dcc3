using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>A mutex between processes. What a process holds when it dies comes back by itself. Any number of threads.</summary>
public sealed unsafe class NativeSharedMutex : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _mutex;

    private NativeSharedMutex(IntPtr mutex)
    {
        _mutex = mutex;
        _owner = new NativeHandle(mutex, NativeMethods.ipc_shared_mutex_stop, NativeMethods.ipc_shared_mutex_close);
    }

    /// <summary>Opens the mutex of that name.</summary>
    /// <exception cref="NativeException">The errors of <c>ipc_shared_mutex_open</c>.</exception>
    public static NativeSharedMutex Open(string name, NativeSyncOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeSyncOptions();
        SyncOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr mutex;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_shared_mutex_open(text, &data, &mutex));
        return new NativeSharedMutex(mutex);
    }

    /// <summary>Waits until the mutex is this object's. Ok; Abandoned: it is, and who held it before has not given it back; or Timeout, Stopped, Cancelled, Closed.</summary>
    public NativeStatus Acquire(NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_shared_mutex_acquire(_mutex, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Gives it back. NativeException (InvalidState): this object does not hold it.</summary>
    public void Release()
    {
        using var use = new Use(_owner);
        NativeError.Demand(NativeMethods.ipc_shared_mutex_release(_mutex));
    }

    /// <summary>Waits return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_mutex_stop(_mutex);
    }

    /// <summary>Takes <see cref="Stop"/> back.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_mutex_resume(_mutex);
    }

    /// <summary>Leaves; threads that wait in a call of this object get <see cref="NativeStatus.Closed"/>. What it holds is abandoned.</summary>
    public void Dispose() => _owner.Leave();
}
