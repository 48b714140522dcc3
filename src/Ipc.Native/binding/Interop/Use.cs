using System;

namespace Ipc.Native;

/// <summary>One call's presence in an object: as long as it lasts, the object is not closed under it.</summary>
internal readonly ref struct Use
{
    private readonly NativeHandle _owner;

    /// <exception cref="ObjectDisposedException">It is closed already.</exception>
    public Use(NativeHandle owner)
    {
        if (owner.IsLeaving)
            throw new ObjectDisposedException(nameof(NativeHandle));
        bool counted = false;
        owner.DangerousAddRef(ref counted);
        _owner = owner;
    }

    public void Dispose() => _owner.DangerousRelease();
}
