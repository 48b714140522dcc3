using System;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Mapping, and memory behind parts of a file that began as holes.</summary>
/// <remarks>Zeros are written through a handle: the file system finds room for them, or says that it has none, before
/// anybody stores there. A hole is never made again: what is mapped is not cut by Windows.</remarks>
internal sealed unsafe partial class WindowsOs
{
    private const int ZeroBytes = 65536; // at a time

    private static readonly byte[] s_zeros = new byte[ZeroBytes];

    public override SafeBuffer Map(RegionFile file, long size, out byte* start)
    {
        StandardInfo found;
        if (GetFileInformationByHandleEx(file.Handle, FileStandardInfo, &found, (uint)sizeof(StandardInfo)) == 0)
            Throw.NotMapped(size, TextOf(Marshal.GetLastWin32Error()), Marshal.GetLastWin32Error());
        if (found.EndOfFile != size)
            Throw.SizeChanged(found.EndOfFile, size);

        // The view's own, on which there are no locks: it makes pages when the region's file is closed.
        SafeFileHandle own = ReOpenFile(file.Handle, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_ALL, 0);
        if (own.IsInvalid)
            Throw.NotMapped(size, TextOf(Marshal.GetLastWin32Error()), Marshal.GetLastWin32Error());
        IntPtr section = CreateFileMappingW(
            file.Handle, null, PAGE_READWRITE, (uint)((ulong)size >> 32), (uint)size, null);
        start = section == IntPtr.Zero ? null : MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
        int error = start == null ? Marshal.GetLastWin32Error() : 0;
        if (section != IntPtr.Zero)
            _ = CloseHandle(section);
        if (error == 0)
            return new WindowsView(start, (ulong)size, file.Identity, own);
        own.Dispose();
        Throw.NotMapped(size, TextOf(error), error);
        return null;
    }

    public override bool Populate(RegionFile? file, byte* start, ulong offset, ulong length)
    {
        if (WindowsView.Find(start) is not { } view || TryWriteZeros(view.File, offset, length, out int error))
            return true; // no file: memory of this process alone
        if (!IsFull(error))
            Throw.Status(IpcStatus.SystemError, $"Memory of a region could not be made: {TextOf(error)}", error);
        return false;
    }

    /// <summary>A fault enters several pages at a time here; there is no call that does it for a range.</summary>
    public override void Touch(byte* start, ulong length)
    {
    }

    /// <summary>The system takes nothing away from a file that is mapped. For the accounts of a pool it is given back
    /// all the same: a budget full of blocks of one size would else refuse all others for as long as the file is
    /// there.</summary>
    public override bool GiveBackPages(byte* start, ulong offset, ulong length) => true;

    /// <summary>Windows cannot put other memory in the place of a mapping without a moment in which the addresses are
    /// anybody's: so it stays.</summary>
    public override void Vacate(byte* start, ulong length)
    {
    }

    private static void Reserve(SafeHandle file, in FileRange range, string directory)
    {
        if (!TryWriteZeros(file, range.Offset, range.Size, out int error))
            FailedToReserve(directory, range.Size, error);
    }

    private static bool TryWriteZeros(SafeHandle file, ulong offset, ulong length, out int error)
    {
        fixed (byte* zeros = s_zeros)
        {
            while (length > 0)
            {
                Overlapped where = At(offset);
                uint count = (uint)Math.Min(length, ZeroBytes);
                if (WriteFile(file, zeros, count, out uint done, &where) == 0 || done == 0)
                {
                    error = Marshal.GetLastWin32Error();
                    return false;
                }

                offset += done;
                length -= done;
            }
        }

        error = 0;
        return true;
    }
}
