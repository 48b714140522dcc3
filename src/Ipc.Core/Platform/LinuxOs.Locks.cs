using System;
using System.Runtime.InteropServices;
using static Ipc.LinuxNative;

namespace Ipc;

/// <summary>Locks of an open file; docs/wire-format.md section 2.</summary>
/// <remarks>
/// What an entry says, anybody can write there; so nobody is judged by it. A participant holds a second lock beside the
/// one on its byte, in a window of its own: where that begins is its pid and pid namespace, how long it is its start
/// time. The kernel tells who asks, and drops both with the open file.
/// </remarks>
internal sealed unsafe partial class LinuxOs
{
    private const long FirstPlace = 0x4000000000000000;
    private const ulong FirstWindow = 0x2000000000000000;
    private const ulong Window = 1UL << 48;
    // Of so many the windows lie before the other locks, of the rest behind.
    private const int WindowsBefore = (int)(((ulong)FirstPlace - 1 - FirstWindow) / Window);
    private const ulong Pids = 1UL << 22;   // of the lock's place in its window
    private const ulong Spaces = 1UL << 25; // the pid namespace's, above them

    public override bool TryTakePlace(RegionFile file, int index) => TryLock(file, FirstPlace + index);

    public override void SignPlace(RegionFile file, int index)
    {
        if (_self.PidNamespace == 0 || (ulong)_self.Pid >= Pids ||
            _self.StartTime == 0 || _self.StartTime >= Pids * Spaces)
        {
            return; // it cannot be said: then the byte alone tells, and nobody is looked for in /proc
        }

        ulong place = _self.PidNamespace % Spaces * Pids + (ulong)_self.Pid;
        _ = TryLock(file, new FileRange(WindowOf(index) + place, _self.StartTime));
    }

    public override void GiveBackPlace(RegionFile file, int index)
    {
        Unlock(file, new FileRange(WindowOf(index), Window));
        Unlock(file, FirstPlace + index); // last: now others may take the entry
    }

    public override bool IsPlaceTaken(RegionFile file, int index) =>
        IsLockedByAnother(file, FirstPlace + index);

    public override ProcessIdentity? HolderOf(RegionFile file, int index)
    {
        FileRange found = FindLock(file, new FileRange(WindowOf(index), Window));
        if (found.Size == 0)
            return null;
        ulong place = found.Offset - WindowOf(index);
        ulong space = _self.PidNamespace;
        return new ProcessIdentity((int)(place % Pids), found.Size, place / Pids == space % Spaces ? space : 0);
    }

    public override bool TryLock(RegionFile file, long position) => TryLock(file, new FileRange((ulong)position, 1));

    public override void Unlock(RegionFile file, long position) => Unlock(file, new FileRange((ulong)position, 1));

    private static bool TryLock(RegionFile file, in FileRange range)
    {
        Flock flock = new() { Type = F_WRLCK, Start = (long)range.Offset, Length = (long)range.Size };
        if (fcntl(file.Handle, F_OFD_SETLK, ref flock) == 0)
            return true;

        int error = Marshal.GetLastWin32Error();
        if (error is not (EAGAIN or EACCES or EINTR))
            Failed("fcntl lock", error);
        return false;
    }

    private static void Unlock(RegionFile file, in FileRange range)
    {
        Flock flock = new() { Type = F_UNLCK, Start = (long)range.Offset, Length = (long)range.Size };
        if (fcntl(file.Handle, F_OFD_SETLK, ref flock) != 0)
            Failed("fcntl unlock");
    }

    public override bool IsLockedByAnother(RegionFile file, long position)
    {
        Flock flock = new() { Type = F_WRLCK, Start = position, Length = 1 };
        if (fcntl(file.Handle, F_OFD_GETLK, ref flock) != 0)
            Failed("fcntl get lock");
        return flock.Type != F_UNLCK;
    }

    /// <summary>A lock that another open file has within the range, cut to it; of size 0: there is none.</summary>
    private static FileRange FindLock(RegionFile file, in FileRange range)
    {
        Flock flock = new() { Type = F_WRLCK, Start = (long)range.Offset, Length = (long)range.Size };
        if (fcntl(file.Handle, F_OFD_GETLK, ref flock) != 0)
            Failed("fcntl get lock");
        if (flock.Type == F_UNLCK)
            return default;
        ulong first = Math.Max((ulong)flock.Start, range.Offset);
        // 0: to the end of all files
        ulong end = flock.Length == 0 ? ulong.MaxValue : (ulong)flock.Start + (ulong)flock.Length;
        return new FileRange(first, Math.Min(end, range.Offset + range.Size) - first);
    }

    private static ulong WindowOf(int index) =>
        FirstWindow + (ulong)(index < WindowsBefore ? index : index + 2) * Window;
}
