using System;
using Microsoft.Win32.SafeHandles;

namespace Ipc.Native;

/// <summary>
/// Owns one object of the C library. The library wants nobody inside a call when an object is closed; so each call counts itself in
/// (<see cref="Use"/>), disposing ends the waits first, and the last one out closes.
/// </summary>
/// <remarks>Closing unmaps, and a span keeps nothing alive. So an object that was dropped without Dispose while a span is out is closed without that: its place in the
/// region is free, what it had received and not released comes again elsewhere, and its memory stays until the process ends.</remarks>
internal sealed class NativeHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    private readonly Action<IntPtr> _stop;
    private readonly Action<IntPtr> _close;
    private readonly Func<bool>? _othersOut;
    private volatile bool _isLeaving;
    private bool _keepsMemory;

    /// <param name="value">The object.</param>
    /// <param name="stop">Ends its waits.</param>
    /// <param name="close">Frees it.</param>
    /// <param name="othersOut">Something else that goes with it has a span out.</param>
    public NativeHandle(IntPtr value, Action<IntPtr> stop, Action<IntPtr> close, Func<bool>? othersOut = null) : base(ownsHandle: true)
    {
        _othersOut = othersOut;
        _stop = stop;
        _close = close;
        SetHandle(value);
    }

    /// <summary>Somebody disposes of it, or has: who is inside may finish, nobody comes in.</summary>
    public bool IsLeaving => _isLeaving;

    /// <summary>Something was read, or received, and is not released.</summary>
    public bool IsReadOut { get; set; }

    /// <summary>Something is claimed.</summary>
    public bool IsClaimOut { get; set; }

    public bool HasSpanOut => IsReadOut || IsClaimOut || (_othersOut is not null && _othersOut());

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

    protected override void Dispose(bool disposing)
    {
        _keepsMemory = !disposing && HasSpanOut;
        base.Dispose(disposing);
    }

    protected override bool ReleaseHandle()
    {
        if (_keepsMemory)
            NativeMethods.ipc_keep_mapped(1);
        try
        {
            _close(handle);
        }
        finally
        {
            if (_keepsMemory)
                NativeMethods.ipc_keep_mapped(0);
        }

        return true;
    }
}
