using System;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using static Ipc.LinuxNative;

namespace Ipc;

/// <content>With whom a file is shared: the machine directory, modes, groups and lists; docs/wire-format.md section 1.
/// Twin of linux_share.c.</content>
internal sealed unsafe partial class LinuxOs
{
    private const string DefaultMachineDirectory = "/dev/shm/ipc-machine";
    private const uint MachineMode = 0x3FF; // 1777: who has no right to a file can neither remove nor rename it
    private const uint GroupFile = 0x1B0;   // 0660
    private const uint SharedFile = 0x1B6;  // 0666
    private const int ByOthers = 0x12, Sticky = 0x200, SetGroup = 0x400;
    private const int RightsOfGroup = 0x38, RightsOfAll = 0x7;

    // A POSIX ACL as the kernel keeps it (linux/posix_acl_xattr.h); both processors that we have are little-endian.
    private const string AclName = "system.posix_acl_access";
    private const uint AclVersion = 2;
    private const ushort AclRights = 6;
    private const int AclHead = 4, AclEntry = 8;
    private const ushort AclOwner = 1, AclUser = 2, AclOwningGroup = 4, AclMask = 16, AclOthers = 32;

    public override uint? User => geteuid();

    public override string MachineDirectory()
    {
        string? given = getauxval(AT_SECURE) != 0 ? null : Environment.GetEnvironmentVariable("IPC_MACHINE_DIR");
        bool isDefault = string.IsNullOrEmpty(given);
        string wanted = isDefault ? DefaultMachineDirectory : Path.GetFullPath(given!);
        if (!TryLookAt(wanted, out Statx found))
        {
            MakeMachineDirectory(wanted);
            if (!TryLookAt(wanted, out found))
                FailedAt(wanted, "examined", ENOENT);
        }

        if (isDefault && geteuid() == 0 && found.Uid != 0 && (found.Mode & TypeMask) == Directory)
        {
            TakeOver(wanted);
            if (!TryLookAt(wanted, out found) || found.Uid != 0)
                Throw.Status(IpcStatus.AccessDenied, $"{wanted} was exchanged while it was taken over.");
        }

        CheckMachineDirectory(wanted, found);
        return wanted;
    }

    public override uint? UserOf(string path) =>
        TryLookAt(path, out Statx found) && (found.Mode & TypeMask) == Regular ? found.Uid : null;

    public override void Share(RegionFile file, Access access, string directory)
    {
        if (file.TemporaryPath is not null)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{directory} is on a file system without unnamed files, where regions of the machine cannot be.");
        switch (access.Kind)
        {
            case AccessKind.Group when fchown(file.Handle, uint.MaxValue, access.GroupId) != 0:
                Throw.Status(
                    IpcStatus.AccessDenied,
                    $"A file cannot be shared with group {access.GroupId}: this user is not in it.",
                    Marshal.GetLastWin32Error());
                break;
            case AccessKind.Users:
                ShareWithUsers(file, access);
                break;
        }

        if (access.Kind is AccessKind.Group or AccessKind.Everybody &&
            fchmod(file.Handle, access.Kind == AccessKind.Group ? GroupFile : SharedFile) != 0)
        {
            FailedAt(directory, "given a file of that mode", Marshal.GetLastWin32Error());
        }
    }

    public override bool IsPrivate(RegionFile file)
    {
        if (statx((int)file.Handle.DangerousGetHandle(), "", AT_EMPTY_PATH, Statx.BasicStats, out Statx found) != 0 ||
            (found.Mode & RightsOfAll) != 0)
            return false;
        if ((found.Mode & RightsOfGroup) == 0)
            return true;
        byte[] list = new byte[AclHead + (Access.MaxUsers + 4) * AclEntry]; // too long a list is none for one user
        nint length = fgetxattr(file.Handle, AclName, list, (nuint)list.Length);
        if (length < AclHead || BitConverter.ToUInt32(list, 0) != AclVersion)
            return false; // the bits are those of the group
        uint user = geteuid();
        for (int at = AclHead; at + AclEntry <= length; at += AclEntry)
        {
            ushort tag = BitConverter.ToUInt16(list, at);
            bool isOfTwo = tag is AclOwner or AclMask ||
                (tag == AclUser && BitConverter.ToUInt32(list, at + 4) == user);
            if (!isOfTwo && BitConverter.ToUInt16(list, at + 2) != 0)
                return false;
        }

        return true;
    }

    private static bool TryLookAt(string path, out Statx found) =>
        statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, Statx.BasicStats, out found) == 0;

    /// <summary>Under another name until its mode is right: nobody finds it half-made, whatever the umask, wherever we
    /// are killed.</summary>
    private static void MakeMachineDirectory(string wanted)
    {
        string made = wanted + "~" + Guid.NewGuid().ToString("N");
        if (mkdir(made, OwnerOnlyDirectory) != 0)
            FailedAt(wanted, "created", Marshal.GetLastWin32Error());
        if (chmod(made, MachineMode) == 0 && rename(made, wanted) == 0)
            return;
        int error = Marshal.GetLastWin32Error();
        _ = rmdir(made);
        // somebody has been faster; what it is like is looked at next
        if (error is not (EEXIST or ENOTEMPTY or EPERM or EACCES or ENOTDIR))
            FailedAt(wanted, "created", error);
    }

    /// <summary>Who owns the directory can rename and remove what others have in it. Root lets nobody but
    /// itself.</summary>
    private static void TakeOver(string wanted)
    {
        int fd = open(wanted, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
        if (fd < 0)
            FailedAt(wanted, "opened", Marshal.GetLastWin32Error());
        using SafeFileHandle directory = new((IntPtr)fd, ownsHandle: true);
        if (fchown(directory, 0, 0) != 0 || fchmod(directory, MachineMode) != 0)
            FailedAt(wanted, "taken over", Marshal.GetLastWin32Error());
    }

    /// <summary>Changes nothing.</summary>
    internal static void CheckMachineDirectory(string wanted, in Statx found)
    {
        string mode = Convert.ToString(found.Mode & 0xFFF, 8);
        if ((found.Mode & TypeMask) != Directory)
            Throw.Status(IpcStatus.AccessDenied, $"{wanted} is not a directory: it must be one, with mode 1777.");
        if ((found.Mode & ByOthers) != 0 && (found.Mode & Sticky) == 0)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{wanted} has mode {mode}: others than its owner can write there, so it must have the sticky bit " +
                "(1777).");
        if ((found.Mode & WritableByAll) != 0 && (found.Mode & SetGroup) != 0)
            Throw.Status(
                IpcStatus.AccessDenied,
                $"{wanted} has mode {mode}: it would give its group to the files of everybody (set-gid).");
    }

    private static void ShareWithUsers(RegionFile file, Access access)
    {
        using MemoryStream list = new();
        using BinaryWriter writer = new(list);
        writer.Write(AclVersion);
        Write(AclOwner, AclRights, uint.MaxValue);
        foreach (uint user in access.UserIds)
            Write(AclUser, AclRights, user);
        Write(AclOwningGroup, 0, uint.MaxValue);
        Write(AclMask, AclRights, uint.MaxValue);
        Write(AclOthers, 0, uint.MaxValue);
        byte[] bytes = list.ToArray();
        if (fsetxattr(file.Handle, AclName, bytes, (nuint)bytes.Length, 0) != 0)
            Throw.Status(
                IpcStatus.SystemError,
                "A file cannot be shared with a list of users: that needs a file system with POSIX ACLs.",
                Marshal.GetLastWin32Error());

        void Write(ushort tag, ushort rights, uint id)
        {
            writer.Write(tag);
            writer.Write(rights);
            writer.Write(id);
        }
    }
}
