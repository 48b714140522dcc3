using System;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using static Ipc.LinuxNative;

namespace Ipc;

internal sealed unsafe partial class LinuxOs
{
    private const int OwnerOnlyFile = 0x180;      // 0600
    private const int OwnerOnlyDirectory = 0x1C0; // 0700
    private const int TypeMask = 0xF000, Regular = 0x8000, Directory = 0x4000, OthersMask = 0x3F, WritableByAll = 2;

    /// <summary>Null where the environment is not to be believed, as <c>secure_getenv</c> has it: a program that runs
    /// with more rights than who started it.</summary>
    public static string? DirectoryOfEnvironment() =>
        getauxval(AT_SECURE) != 0 ? null : Environment.GetEnvironmentVariable("IPC_DIR");

    public override string RegionDirectory()
    {
        string? given = DirectoryOfEnvironment();
        if (!string.IsNullOrEmpty(given))
        {
            MakeDirectory(given!);
            return given!;
        }

        uint user = geteuid();
        string path = "/dev/shm/ipc-" + user.ToString(System.Globalization.CultureInfo.InvariantCulture);
        MakeDirectory(path);
        if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, Statx.BasicStats, out Statx found) != 0)
            FailedAt(path, "examined", Marshal.GetLastWin32Error());
        if ((found.Mode & TypeMask) != Directory || found.Uid != user || (found.Mode & OthersMask) != 0)
        {
            string remedy = found.Uid == user
                ? "Remove it"
                : "Somebody else has made it, and only that user or root can remove it: tell them";
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{path} must be a directory of user {user} that is closed to others (0700); it belongs to user " +
                $"{found.Uid} with mode {Convert.ToString(found.Mode & 0xFFF, 8)}. {remedy}, " +
                "or set IPC_DIR to a directory of your own for all programs that are to meet.",
                EACCES);
        }

        return path;
    }

    public override RegionFile CreateFile(string directory, long size, FileRange[] reserved)
    {
        string? temporary = null;
        int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, OwnerOnlyFile);
        if (fd < 0 && Marshal.GetLastWin32Error() is EOPNOTSUPP or EISDIR or ENOENT or EINVAL)
        {
            temporary = $"{directory}/~tmp.{_self.Pid}.{Guid.NewGuid():N}";
            fd = open(temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, OwnerOnlyFile);
        }

        if (fd < 0)
            FailedAt(directory, "written to", Marshal.GetLastWin32Error());

        FileStream stream = StreamOf(fd, O_RDWR);
        try
        {
            if (ftruncate(stream.SafeFileHandle, size) != 0)
                FailedAt(directory, "given a file of that size", Marshal.GetLastWin32Error());

            // Now: a full disk is an error here, never a SIGBUS at some later store.
            foreach (FileRange range in reserved)
                Reserve(stream, range, directory);
            return Describe(stream, temporary ?? directory, temporary);
        }
        catch
        {
            stream.Dispose();
            if (temporary is not null)
                Unlink(temporary);
            throw;
        }
    }

    private static void Reserve(FileStream stream, in FileRange range, string directory)
    {
        if (range.Size == 0)
            return;

        int error;
        do
            error = posix_fallocate(stream.SafeFileHandle, (long)range.Offset, (long)range.Size);
        while (error == EINTR);

        if (error is ENOSPC or EDQUOT)
            Throw.Status(
                IpcStatus.NoSpace,
                $"{directory} has no room for a region of {range.Size} bytes. Free some, or ask for a smaller " +
                "capacity.",
                error);
        if (error != 0)
            FailedAt(directory, "given pages", error);
    }

    public override bool TryLink(RegionFile file, string path)
    {
        string from = file.TemporaryPath ??
            "/proc/self/fd/" + file.Handle.DangerousGetHandle().ToString();
        if (linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
        {
            if (file.TemporaryPath is not null)
                Unlink(file.TemporaryPath);
            return true;
        }

        int error = Marshal.GetLastWin32Error();
        if (error != EEXIST)
            FailedAt(path, "given its name", error);
        return false;
    }

    public override bool CanReplace => true;

    public override void Replace(RegionFile file, string between, string path)
    {
        string named = file.TemporaryPath ?? between;
        if (file.TemporaryPath is null)
        {
            _ = unlink(between);
            string self = "/proc/self/fd/" + file.Handle.DangerousGetHandle().ToString();
            if (linkat(AT_FDCWD, self, AT_FDCWD, between, AT_SYMLINK_FOLLOW) != 0)
                FailedAt(between, "given its name", Marshal.GetLastWin32Error());
        }

        FaultPoints.Pass(FaultPoints.ListenerFollowLinked);
        if (rename(named, path) != 0)
        {
            int error = Marshal.GetLastWin32Error();
            _ = unlink(between);
            FailedAt(path, "taken over", error);
        }
    }

    public override RegionFile? OpenFile(string path) => OpenFile(path, O_RDWR);

    public override RegionFile? OpenFileToLook(string path) => OpenFile(path, O_RDONLY);

    private static RegionFile? OpenFile(string path, int how)
    {
        // O_NONBLOCK: a pipe that somebody has put there, or a lease that he has taken on it, must not hold us up
        int fd = open(path, how | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
        if (fd >= 0)
            return Describe(StreamOf(fd, how), path, null);

        int error = Marshal.GetLastWin32Error();
        if (error == ENOENT)
            return null;
        if (error is ELOOP or EISDIR)
            Throw.Status(
                IpcStatus.Corrupt,
                $"{path} is not a regular file, so it is not a region: remove it, or use another name.",
                error);
        FailedAt(path, "opened", error);
        return null;
    }

    public override void Unlink(string path)
    {
        if (!TryUnlink(path))
            FailedAt(path, "removed", EACCES);
    }

    public override bool TryUnlink(string path)
    {
        if (unlink(path) == 0)
            return true;

        int error = Marshal.GetLastWin32Error();
        if (error is EACCES or EPERM)
            return false;
        // no directory is a region: a name that a hostile client chose may lead to one
        if (error is not (ENOENT or EISDIR))
            FailedAt(path, "removed", error);
        return true;
    }

    public override void ReadFile(RegionFile file, ulong offset, byte* to, int count)
    {
        while (count > 0)
        {
            nint read = pread(file.Handle, to, (nuint)count, (long)offset);
            if (read > 0)
            {
                to += read;
                offset += (ulong)read;
                count -= (int)read;
            }
            else if (read == 0 || Marshal.GetLastWin32Error() != EINTR)
            {
                Failed("pread", read == 0 ? 0 : Marshal.GetLastWin32Error());
            }
        }
    }

    public override bool LeadsTo(string path, RegionFile file) =>
        statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, Statx.BasicStats, out Statx found) == 0 &&
        found.Inode == file.Identity.Inode && DeviceOf(found) == file.Identity.Device;

#if NET
    private static FileStream StreamOf(int fd, int how) =>
        new(new SafeFileHandle((IntPtr)fd, ownsHandle: true), AccessOf(how), 1);
#else
    private static readonly bool s_knowsItsOwnFilesOnly = Type.GetType("Mono.Runtime") is not null;

    /// <summary>.NET Framework's stand-in on Linux takes no descriptor that it has not opened itself. It opens the same
    /// file again: no lock is taken yet.</summary>
    private static FileStream StreamOf(int fd, int how)
    {
        if (!s_knowsItsOwnFilesOnly)
            return new(new SafeFileHandle((IntPtr)fd, ownsHandle: true), AccessOf(how), 1);
        try
        {
            return new("/proc/self/fd/" + fd, FileMode.Open, AccessOf(how), FileShare.ReadWrite | FileShare.Delete, 1);
        }
        finally
        {
            _ = close(fd);
        }
    }
#endif

    private static FileAccess AccessOf(int how) => (how & O_RDWR) != 0 ? FileAccess.ReadWrite : FileAccess.Read;

    private static RegionFile Describe(FileStream stream, string path, string? temporary)
    {
        int fd = (int)stream.SafeFileHandle.DangerousGetHandle();
        if (statx(fd, "", AT_EMPTY_PATH, Statx.BasicStats, out Statx found) != 0)
        {
            int error = Marshal.GetLastWin32Error();
            stream.Dispose();
            FailedAt(path, "examined", error);
        }

        return new RegionFile(stream, new RegionIdentity(DeviceOf(found), found.Inode), (long)found.Size,
            StrangerOf(found), (found.Mode & TypeMask) == Regular, temporary, (long)found.Blocks * 512,
            found.Uid, found.Gid, (found.Mode & WritableByAll) != 0);
    }

    private static string? StrangerOf(in Statx found)
    {
        uint user = geteuid();
        return found.Uid == user ? null : $"user {found.Uid}, this is user {user}";
    }

    private static ulong DeviceOf(in Statx found) => (ulong)found.DeviceMajor << 32 | found.DeviceMinor;

    private static void MakeDirectory(string path)
    {
        if (mkdir(path, OwnerOnlyDirectory) == 0)
            return;

        int error = Marshal.GetLastWin32Error();
        if (error != EEXIST)
            FailedAt(path, "created", error);
    }

    private static void FailedAt(string path, string verb, int error)
    {
        switch (error)
        {
            case EACCES or EPERM:
                bool isKnown = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, Statx.BasicStats, out Statx found) == 0;
                string owner = isKnown && StrangerOf(found) is { } stranger ? $" It belongs to {stranger}." : "";
                Throw.Status(
                    IpcStatus.AccessDenied,
                    $"{path} cannot be {verb}: permission denied.{owner} Set IPC_DIR to a directory of your own, or " +
                    "use another name.",
                    error);
                break;
            case ENOSPC or EDQUOT:
                Throw.Status(IpcStatus.NoSpace, $"{path} cannot be {verb}: the file system is full.", error);
                break;
            default:
                Throw.Status(IpcStatus.SystemError, $"{path} cannot be {verb}: errno {error}.", error);
                break;
        }
    }
}
