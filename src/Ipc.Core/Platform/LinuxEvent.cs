using System;
using System.Runtime.InteropServices;
using static Ipc.LinuxNative;

namespace Ipc;

/// <summary>An eventfd: readable while it is set.</summary>
internal sealed unsafe class LinuxEvent : OsEvent
{
    public LinuxEvent()
    {
        int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (descriptor < 0)
        {
            int error = Marshal.GetLastWin32Error();
            Throw.Status(IpcStatus.SystemError, $"eventfd failed with error {error}: too many files are open.", error);
        }

        SetHandle((IntPtr)descriptor);
    }

    public override void Set()
    {
        ulong one = 1;
        _ = write((int)handle, &one, sizeof(ulong)); // cannot fail but by being full, which is set as well
    }

    public override void Reset()
    {
        ulong value;
        _ = read((int)handle, &value, sizeof(ulong)); // only empties it
    }

    protected override bool ReleaseHandle() => close((int)handle) == 0;
}
