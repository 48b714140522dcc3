using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using static Ipc.LinuxNative;

namespace Ipc;

/// <summary>Memory behind parts of a file that began as holes; docs/wire-format.md section 7.</summary>
internal sealed unsafe partial class LinuxOs
{
    private static readonly ulong s_page = (ulong)Environment.SystemPageSize;
    private static readonly bool s_populateNeedsFile = PopulateIsUnknown(); // before Linux 5.14

    public override SafeBuffer Map(RegionFile file, long size, out byte* start)
    {
        try
        {
            using MemoryMappedFile mapping = MemoryMappedFile.CreateFromFile(
                file.Stream, null, size, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
            MemoryMappedViewAccessor accessor = mapping.CreateViewAccessor(0, size, MemoryMappedFileAccess.ReadWrite);
            SafeBuffer memory = accessor.SafeMemoryMappedViewHandle;
            start = (byte*)memory.DangerousGetHandle() + accessor.PointerOffset;
            return memory;
        }
        catch (ArgumentException) // the file is longer than what is to be mapped
        {
            Throw.SizeChanged(file.Stream.Length, size);
            throw;
        }
        catch (IOException error)
        {
            Throw.NotMapped(size, error.Message, Marshal.GetLastWin32Error());
            throw;
        }
    }

    public override bool PopulatesByMapping => !s_populateNeedsFile;

    public override bool PopulateNeedsFile => s_populateNeedsFile;

    public override bool Populate(RegionFile? file, byte* start, ulong offset, ulong length)
    {
        // Outward to the system's pages: what lies beside is present twice then, which is the same as once.
        ulong from = offset & ~(s_page - 1);
        ulong to = (offset + length + s_page - 1) & ~(s_page - 1);
        for (; ; )
        {
            if (madvise(start + from, (nuint)(to - from), MADV_POPULATE_WRITE) == 0)
                return true;
            switch (Marshal.GetLastWin32Error())
            {
                case EINTR or EAGAIN:
                    continue;
                case EFAULT or ENOMEM or ENOSPC: // EFAULT: a store there would be a SIGBUS
                    return false;
                default: // EINVAL before Linux 5.14, or what a filter says
                    return file is not null && Allocate(file, offset, length);
            }
        }
    }

    public override void Touch(byte* start, ulong length)
    {
        ulong from = (ulong)start & ~(s_page - 1);
        ulong to = (ulong)start + Math.Min(length, MostTouched);
        _ = madvise((void*)from, (nuint)(to - from), MADV_POPULATE_WRITE);
    }

    public override bool GiveBackPages(byte* start, ulong offset, ulong length)
    {
        // Inward: a page that is also somebody else's stays.
        ulong from = (offset + s_page - 1) & ~(s_page - 1);
        ulong to = (offset + length) & ~(s_page - 1);
        return from >= to || madvise(start + from, (nuint)(to - from), MADV_REMOVE) == 0;
    }

    public override void Vacate(byte* start, ulong length) =>
        _ = mmap(
            start,
            (nuint)((length + s_page - 1) & ~(s_page - 1)),
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE,
            -1,
            0);

    /// <summary>Asked of a page of our own: of no bytes some systems say yes to whatever they do not know.</summary>
    private static bool PopulateIsUnknown()
    {
        void* page = mmap(null, (nuint)s_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if ((nint)page == -1)
            return false; // short of memory: no answer
        bool isUnknown =
            madvise(page, (nuint)s_page, MADV_POPULATE_WRITE) != 0 && Marshal.GetLastWin32Error() != ENOMEM;
        _ = munmap(page, (nuint)s_page);
        return isUnknown;
    }

    private static bool Allocate(RegionFile file, ulong offset, ulong length)
    {
        int error;
        do
            error = posix_fallocate(file.Handle, (long)offset, (long)length);
        while (error == EINTR);

        if (error is not (0 or ENOSPC or EDQUOT))
            Failed("posix_fallocate", error);
        return error == 0;
    }
}
