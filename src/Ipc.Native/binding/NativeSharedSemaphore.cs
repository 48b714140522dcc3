using System;
using System.Threading;

namespace Ipc.Native;

/// <summary>A semaphore between processes. Permits that a process holds when it dies come back by themselves. Any number of threads.</summary>
public sealed unsafe class NativeSharedSemaphore : IDisposable
{
    private readonly NativeHandle _owner;
    private readonly IntPtr _semaphore;

    private NativeSharedSemaphore(IntPtr semaphore)
    {
        _semaphore = semaphore;
        _owner = new NativeHandle(semaphore, NativeMethods.ipc_shared_semaphore_stop, NativeMethods.ipc_shared_semaphore_close);
    }

    /// <summary>How many permits are free now.</summary>
    public int Available
    {
        get
        {
            using var use = new Use(_owner);
            return (int)NativeMethods.ipc_shared_semaphore_available(_semaphore);
        }
    }

    /// <summary>How many there are altogether, as its creator chose.</summary>
    public int Permits
    {
        get
        {
            using var use = new Use(_owner);
            return (int)NativeMethods.ipc_shared_semaphore_permits(_semaphore);
        }
    }

    /// <summary>Opens the semaphore of that name.</summary>
    /// <exception cref="NativeException">The errors of <c>ipc_shared_semaphore_open</c>.</exception>
    public static NativeSharedSemaphore Open(string name, NativeSyncOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        using var scope = new CancelScope(cancellationToken);
        options ??= new NativeSyncOptions();
        SyncOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr semaphore;
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Demand(NativeMethods.ipc_shared_semaphore_open(text, &data, &semaphore));
        return new NativeSharedSemaphore(semaphore);
    }

    /// <summary>Waits for a permit. Ok; Abandoned: one who held a permit has not given it back; or Timeout, Stopped, Cancelled, Closed.</summary>
    public NativeStatus Acquire(NativeDeadline deadline = default, CancellationToken cancellationToken = default)
    {
        using var use = new Use(_owner);
        using var scope = new CancelScope(cancellationToken);
        return NativeError.Check(NativeMethods.ipc_shared_semaphore_acquire(_semaphore, deadline.Value, scope.Value), _owner);
    }

    /// <summary>Gives one permit back. NativeException (InvalidState): this object has none.</summary>
    public void Release()
    {
        using var use = new Use(_owner);
        NativeError.Demand(NativeMethods.ipc_shared_semaphore_release(_semaphore));
    }

    /// <summary>Waits return <see cref="NativeStatus.Stopped"/>, now and from now on, until <see cref="Resume"/>.</summary>
    public void Stop()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_semaphore_stop(_semaphore);
    }

    /// <summary>Takes <see cref="Stop"/> back.</summary>
    public void Resume()
    {
        using var use = new Use(_owner);
        NativeMethods.ipc_shared_semaphore_resume(_semaphore);
    }

    /// <summary>Leaves; threads that wait in a call of this object get <see cref="NativeStatus.Closed"/>. What it holds is abandoned.</summary>
    public void Dispose() => _owner.Leave();
}
