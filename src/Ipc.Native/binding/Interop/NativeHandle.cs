using System;
using Microsoft.Win32.SafeHandles;

namespace Ipc.Native;

/// <summary>
/// Owns one object of the C library. The library wants nobody inside a call when an object is closed; so each call counts itself in
/// (<see cref="Use"/>), disposing ends the waits first, and the last one out closes.
/// </summary>
internal sealed class NativeHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly Action<IntPtr> _stop;
    private readonly Action<IntPtr> _close;
    private volatile bool _isLeaving;

    public NativeHandle(IntPtr value, Action<IntPtr> stop, Action<IntPtr> close) : base(ownsHandle: true)
    {
        _stop = stop;
        _close = close;
        SetHandle(value);
    }

    /// <summary>Somebody disposes of it, or has: who is inside may finish, nobody comes in.</summary>
    public bool IsLeaving => _isLeaving;

    /// <summary>Ends the waits of all threads inside, and closes when they have left. Once; later calls do nothing.</summary>
    public void Leave()
    {
        bool counted = false;
        try
        {
            DangerousAddRef(ref counted);
            IntPtr value = DangerousGetHandle();
            _isLeaving = true; // the base class lets others in as long as somebody is inside
            Dispose();
            _stop(value);
        }
        catch (ObjectDisposedException)
        {
        }
        finally
        {
            if (counted)
                DangerousRelease();
        }
    }

    protected override bool ReleaseHandle()
    {
        _close(handle);
        return true;
    }
}
