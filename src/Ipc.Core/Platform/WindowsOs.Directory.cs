using System;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>The directory of region files: on a drive of this machine, this user's.</summary>
internal sealed unsafe partial class WindowsOs
{
    /// <summary>As the calls take it: of any length, and nothing in it is special.</summary>
    private static string Native(string path)
    {
        string native = path.Replace('/', '\\');
        return native.StartsWith(Extended, StringComparison.Ordinal) ? native : Extended + native;
    }

    /// <summary>The absolute path. Refuses what lies on another machine: mapped there and here it is not the same
    /// memory.</summary>
    private static string LocalPath(string given)
    {
        string path = Path.GetFullPath(given);
        string plain = path.StartsWith(Extended, StringComparison.Ordinal) ? path.Substring(Extended.Length) : path;
        bool hasDrive = plain.Length >= 3 && plain[1] == ':' && plain[2] is '\\' or '/';
        if (!hasDrive || GetDriveTypeW($@"{plain[0]}:\") == DRIVE_REMOTE)
            Throw.Status(
                IpcStatus.InvalidArgument,
                $"{given} is not on a drive of this machine: memory is shared with nobody there. Set IPC_DIR to a " +
                "directory on a local drive.");
        return path;
    }

    private static void MakeDirectory(string path)
    {
        SecurityAttributes ours = WindowsSecurity.Directories;
        if (CreateDirectoryW(Native(path), &ours) != 0)
            return;
        int error = Marshal.GetLastWin32Error();
        if (error != ERROR_ALREADY_EXISTS && !IsDirectory(path)) // a drive's root says that access is denied
            FailedAt(path, "created", error);
    }

    /// <summary>The one that all programs of a user find: nobody else must have made it, and it leads nowhere
    /// else.</summary>
    private static void CheckDirectory(string path)
    {
        using SafeFileHandle handle = CreateFileW(
            Native(path),
            READ_CONTROL | FILE_READ_ATTRIBUTES,
            FILE_SHARE_ALL,
            null,
            OPEN_EXISTING,
            FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS,
            IntPtr.Zero);
        AttributeTagInfo tag = default;
        if (handle.IsInvalid ||
            GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, (uint)sizeof(AttributeTagInfo)) == 0)
        {
            FailedAt(path, "examined", Marshal.GetLastWin32Error());
        }

        bool isOurs = WindowsSecurity.IsOurs(handle, out int error);
        if (error != 0)
            FailedAt(path, "examined", error);
        const uint Kinds = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
        if ((tag.Attributes & Kinds) != FILE_ATTRIBUTE_DIRECTORY || !isOurs)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{path} must be a directory of this user, and no link to another one; " +
                (isOurs ? "it is something else" : "it belongs to somebody else") +
                ". Remove it, or set IPC_DIR to a directory of your own.");
    }
}
