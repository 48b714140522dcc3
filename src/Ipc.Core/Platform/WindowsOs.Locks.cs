using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Locks of bytes, which belong to the open file; docs/wire-format/windows.md section 4.</summary>
/// <remarks>Windows tells nobody whether a byte is locked, so who asks takes it, shared, and gives it back at once: two
/// who ask do not see each other, and who takes it tries again when only somebody asked.</remarks>
internal sealed unsafe partial class WindowsOs
{
    private const long FirstPlace = 0x4000000000000000;
    private const int AskersAtMost = 100;

    public override bool TryLock(RegionFile file, long position)
    {
        for (int attempt = 0; attempt < AskersAtMost; attempt++)
        {
            if (TryLock(file, position, LOCKFILE_EXCLUSIVE_LOCK, out int error))
                return true;
            if (error is not (ERROR_LOCK_VIOLATION or ERROR_IO_PENDING))
                Failed("LockFileEx", error);
            if (IsLockedByAnother(file, position))
                return false;
        }

        return false;
    }

    public override void Unlock(RegionFile file, long position)
    {
        Overlapped where = At((ulong)position);
        if (UnlockFileEx(file.Handle, 0, 1, 0, &where) == 0 && Marshal.GetLastWin32Error() != ERROR_NOT_LOCKED)
            Failed("UnlockFileEx");
    }

    /// <summary>What cannot be known counts as taken.</summary>
    public override bool IsLockedByAnother(RegionFile file, long position)
    {
        if (!TryLock(file, position, 0, out _))
            return true;
        Unlock(file, position);
        return false;
    }

    public override bool TryTakePlace(RegionFile file, int index) => TryLock(file, FirstPlace + index);

    public override void SignPlace(RegionFile file, int index)
    {
        // No process inherits an open file here: whoever has the place is who has taken it.
    }

    public override void GiveBackPlace(RegionFile file, int index) => Unlock(file, FirstPlace + index);

    public override bool IsPlaceTaken(RegionFile file, int index) => IsLockedByAnother(file, FirstPlace + index);

    public override ProcessIdentity? HolderOf(RegionFile file, int index) => null;

    private static bool TryLock(RegionFile file, long position, uint how, out int error)
    {
        Overlapped where = At((ulong)position);
        bool locked = LockFileEx(file.Handle, LOCKFILE_FAIL_IMMEDIATELY | how, 0, 1, 0, &where) != 0;
        error = locked ? 0 : Marshal.GetLastWin32Error();
        return locked;
    }
}
