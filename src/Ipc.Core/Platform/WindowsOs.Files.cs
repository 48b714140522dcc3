using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Microsoft.Win32.SafeHandles;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Files: made under a name that nobody looks for, renamed when complete; renamed again, then
/// deleted.</summary>
internal sealed unsafe partial class WindowsOs
{
    private const uint All = GENERIC_READ | GENERIC_WRITE | DELETE;
    private const string Extended = @"\\?\";
    private const int SharingAttempts = 100; // looks, 10 ms apart

    private readonly HashSet<string> _swept = new(StringComparer.OrdinalIgnoreCase); // under its own lock

    public override string RegionDirectory()
    {
        string? given = Environment.GetEnvironmentVariable("IPC_DIR");
        string directory;
        if (!string.IsNullOrEmpty(given))
        {
            directory = LocalPath(given!);
            MakeDirectory(directory);
        }
        else
        {
            string? local = Environment.GetEnvironmentVariable("LOCALAPPDATA");
            if (string.IsNullOrEmpty(local))
                Throw.Status(
                    IpcStatus.InvalidArgument,
                    "There is no place for regions: neither IPC_DIR nor LOCALAPPDATA is set. Set IPC_DIR.");
            directory = LocalPath(local + @"\ipc");
            MakeDirectory(directory);
            CheckDirectory(directory);
        }

        Sweep(directory);
        return directory;
    }

    public override RegionFile CreateFile(string directory, long size, FileRange[] reserved)
    {
        SecurityAttributes ours = WindowsSecurity.Files;
        string random = Guid.NewGuid().ToString("N").Substring(0, 16);
        string temporary = $@"{directory}\~tmp.{_self.Pid}.{random}";
        SafeFileHandle handle = CreateFileW(
            Native(temporary), All, FILE_SHARE_ALL, &ours, CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY, IntPtr.Zero);
        if (handle.IsInvalid)
            FailedAt(directory, "written to", Marshal.GetLastWin32Error());
        try
        {
            ulong present = 0;
            foreach (FileRange range in reserved)
                present += range.Size;
            bool hasHoles = present < (ulong)size &&
                DeviceIoControl(handle, FSCTL_SET_SPARSE, null, 0, null, 0, out _, IntPtr.Zero) != 0;
            long end = size;
            if (SetFileInformationByHandle(handle, FileEndOfFileInfo, &end, sizeof(long)) == 0)
                FailedToReserve(directory, (ulong)size, Marshal.GetLastWin32Error());
            // Now: a full disk is an error here, never an exception at some later store.
            foreach (FileRange range in reserved)
            {
                if (hasHoles)
                    Reserve(handle, range, directory);
            }

            return Describe(handle, GENERIC_READ | GENERIC_WRITE, directory, temporary);
        }
        catch
        {
            handle.Dispose();
            Unlink(temporary);
            throw;
        }
    }

    public override bool TryLink(RegionFile file, string path)
    {
        int error = Rename(file.Handle, path);
        if (error is not (0 or ERROR_ALREADY_EXISTS or ERROR_FILE_EXISTS))
            FailedAt(path, "given its name", error);
        return error == 0;
    }

    public override bool CanReplace => false;

    /// <summary>The file of a name that somebody has mapped cannot be replaced, only moved away first.</summary>
    public override void Replace(RegionFile file, string between, string path) => Throw.Status(
        IpcStatus.InvalidArgument, $"{path} is another server's, and Windows replaces no name in use.");

    public override RegionFile? OpenFile(string path) => OpenFile(path, All);

    public override RegionFile? OpenFileToLook(string path) => OpenFile(path, GENERIC_READ);

    /// <summary>The file loses its name first: until nobody has it mapped any more it may not be deleted, and until
    /// nobody has it open a deleted one keeps its name.</summary>
    public override void Unlink(string path)
    {
        using SafeFileHandle handle = OpenHandle(path, DELETE, out int error);
        if (handle.IsInvalid)
        {
            // no directory is a region: a name that a hostile client chose may lead to one
            if (!IsNothing(error) && !IsDirectory(path))
                FailedAt(path, "removed", error);
            return;
        }

        if (!TryIdentify(handle, out IdInfo id, out error))
            FailedAt(path, "examined", error);
        string dead = DeadName(Path.GetDirectoryName(path)!, id);
        error = Rename(handle, dead);
        if (error is ERROR_ALREADY_EXISTS or ERROR_FILE_EXISTS) // ids are given again, where the file system is simple
        {
            DeleteDead(dead);
            error = Rename(handle, dead);
        }

        _ = TryDelete(handle); // refused while somebody has it mapped: who unmaps it last does it
        if (error != 0 && !IsNothing(error))
            FailedAt(path, "removed", error);
    }

    public override void ReadFile(RegionFile file, ulong offset, byte* to, int count)
    {
        while (count > 0)
        {
            WindowsNative.Overlapped where = At(offset);
            if (WindowsNative.ReadFile(file.Handle, to, (uint)count, out uint done, &where) == 0 || done == 0)
                Failed("ReadFile");
            to += done;
            offset += done;
            count -= (int)done;
        }
    }

    public override bool LeadsTo(string path, RegionFile file)
    {
        using SafeFileHandle handle = OpenHandle(path, FILE_READ_ATTRIBUTES, out _);
        return !handle.IsInvalid && TryIdentify(handle, out IdInfo found, out _) &&
            found.Volume == file.Identity.Device && found.Low == file.Identity.Inode &&
            found.High == file.Identity.InodeHigh;
    }

    /// <summary>A view of the file is gone: if it has no name any more, and nobody else has it mapped, it
    /// goes.</summary>
    public static void DeleteDead(RegionIdentity file)
    {
        if (file.Directory.Length != 0)
            DeleteDead(DeadName(file.Directory, new IdInfo { Low = file.Inode, High = file.InodeHigh }));
    }

    private static void DeleteDead(string path)
    {
        using SafeFileHandle handle = OpenHandle(path, DELETE, out _);
        if (!handle.IsInvalid)
            _ = TryDelete(handle);
    }

    /// <summary>What a file is called that has lost its name.</summary>
    private static string DeadName(string directory, in IdInfo id)
    {
        StringBuilder text = new(directory.Length + 40);
        text.Append(directory).Append(@"\~dead.");
        fixed (ulong* bytes = &id.Low)
        {
            for (int i = 0; i < 16; i++)
                text.Append(((byte*)bytes)[i].ToString("x2", CultureInfo.InvariantCulture));
        }

        return text.ToString();
    }

    private static RegionFile? OpenFile(string path, uint access)
    {
        SafeFileHandle handle = OpenHandle(path, access, out int error);
        for (int look = 0; error == ERROR_SHARING_VIOLATION && look < SharingAttempts; look++)
        {
            Thread.Sleep(10); // who has it open alone, a virus scanner above all, tells nobody when it lets go
            handle.Dispose();
            handle = OpenHandle(path, access, out error);
        }

        if (!handle.IsInvalid)
            return Describe(handle, access & (GENERIC_READ | GENERIC_WRITE), path, null);
        handle.Dispose();
        if (IsNothing(error))
            return null;
        if (error == ERROR_SHARING_VIOLATION)
            Throw.Status(
                IpcStatus.InUse,
                $"{path} is open in a program that shares it with nobody, a virus scanner perhaps. End that program, " +
                "or leave the directory out of its scans.",
                error);
        if (IsDirectory(path))
            Throw.Status(
                IpcStatus.Corrupt,
                $"{path} is not a regular file: it is not a region. Remove it, or use another name.",
                error);
        FailedAt(path, "opened", error);
        return null;
    }

    private static SafeFileHandle OpenHandle(string path, uint access, out int error)
    {
        SafeFileHandle handle = CreateFileW(
            Native(path), access, FILE_SHARE_ALL, null, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, IntPtr.Zero);
        error = handle.IsInvalid ? Marshal.GetLastWin32Error() : 0;
        return handle;
    }

    private static RegionFile Describe(SafeFileHandle handle, uint access, string path, string? temporary)
    {
        StandardInfo standard = default;
        AttributeTagInfo tag = default;
        bool isOurs = false;
        int error = 0;
        if (!TryIdentify(handle, out IdInfo id, out error) ||
            GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, (uint)sizeof(StandardInfo)) == 0 ||
            GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, (uint)sizeof(AttributeTagInfo)) == 0)
        {
            error = error != 0 ? error : Marshal.GetLastWin32Error();
        }
        else
        {
            isOurs = WindowsSecurity.IsOurs(handle, out error);
        }

        if (error != 0)
        {
            handle.Dispose();
            FailedAt(path, "examined", error);
        }

        const uint NoFile =
            FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE | FILE_ATTRIBUTE_REPARSE_POINT;
        bool isRegular = (tag.Attributes & NoFile) == 0 && GetFileType(handle) == FILE_TYPE_DISK;
        FileStream stream =
            new(handle, (access & GENERIC_WRITE) != 0 ? FileAccess.ReadWrite : FileAccess.Read, 1);
        string directory = temporary is null ? Path.GetDirectoryName(path)! : path;
        return new RegionFile(
            stream,
            new RegionIdentity(id.Volume, id.Low, id.High, directory),
            standard.EndOfFile,
            isOurs ? null : "another user",
            isRegular,
            temporary,
            standard.AllocationSize);
    }

    /// <summary>0, or what kept it from that name; nothing is replaced.</summary>
    private static int Rename(SafeHandle handle, string path)
    {
        const int Head = 20; // whether to replace, the directory's handle (none), the length of the name in bytes
        string name = Native(path);
        byte[] info = new byte[Head + (name.Length + 1) * sizeof(char)];
        fixed (byte* to = info)
        fixed (char* from = name)
        {
            *(int*)(to + 16) = name.Length * sizeof(char);
            Buffer.MemoryCopy(from, to + Head, info.Length - Head, name.Length * sizeof(char));
            return SetFileInformationByHandle(handle, FileRenameInfo, to, (uint)info.Length) != 0
                ? 0
                : Marshal.GetLastWin32Error();
        }
    }

    private static bool TryDelete(SafeHandle handle)
    {
        byte delete = 1;
        return SetFileInformationByHandle(handle, FileDispositionInfo, &delete, sizeof(byte)) != 0;
    }

    private static bool TryIdentify(SafeHandle handle, out IdInfo id, out int error)
    {
        fixed (IdInfo* found = &id)
        {
            *found = default;
            error = GetFileInformationByHandleEx(handle, FileIdInfo, found, (uint)sizeof(IdInfo)) != 0
                ? 0
                : Marshal.GetLastWin32Error();
        }

        return error == 0;
    }

    /// <summary>Removes what killed creators and the last users of removed regions have left; what somebody has open
    /// stays. Once.</summary>
    private void Sweep(string directory)
    {
        lock (_swept)
        {
            if (!_swept.Add(directory))
                return;
        }

        try
        {
            foreach (string path in Directory.GetFiles(directory, "~*"))
            {
                string name = Path.GetFileName(path);
                if (!name.StartsWith("~tmp.", StringComparison.Ordinal) &&
                    !name.StartsWith("~dead.", StringComparison.Ordinal))
                {
                    continue;
                }

                CreateFileW(
                    Native(path),
                    DELETE,
                    share: 0,
                    null,
                    OPEN_EXISTING,
                    FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_DELETE_ON_CLOSE,
                    IntPtr.Zero).Dispose();
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // Nobody needs what was to be swept, and who may not list the directory may still use it.
        }
    }

    private static bool IsNothing(int error) => error is ERROR_FILE_NOT_FOUND or ERROR_PATH_NOT_FOUND;

    private static bool IsDirectory(string path)
    {
        uint attributes = GetFileAttributesW(Native(path));
        return attributes != uint.MaxValue && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    }

    private static WindowsNative.Overlapped At(ulong offset) =>
        new() { Offset = (uint)offset, OffsetHigh = (uint)(offset >> 32) };

    [DoesNotReturn]
    private static void FailedToReserve(string directory, ulong size, int error)
    {
        if (IsFull(error))
            Throw.Status(
                IpcStatus.NoSpace,
                $"{directory} has no room for a region of {size} bytes. Free some, or ask for a smaller capacity.",
                error);
        FailedAt(directory, "given a file of that size", error);
    }

    private static bool IsFull(int error) =>
        error is ERROR_DISK_FULL or ERROR_HANDLE_DISK_FULL or ERROR_DISK_QUOTA_EXCEEDED;

    [DoesNotReturn]
    private static void FailedAt(string path, string verb, int error)
    {
        if (error == ERROR_ACCESS_DENIED)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{path} cannot be {verb}: access is denied. It belongs to another user; set IPC_DIR or use another " +
                "name.",
                error);
        if (IsFull(error))
            Throw.Status(IpcStatus.NoSpace, $"{path} cannot be {verb}: the disk is full.", error);
        Throw.Status(IpcStatus.SystemError, $"{path} cannot be {verb}: {TextOf(error)}", error);
    }
}
