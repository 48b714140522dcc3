using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using static Ipc.LinuxNative;

namespace Ipc.Tool;

/// <summary>Where regions are: whose it is, on what file system, how full, what files can do there.</summary>
internal static class DirectoryChecks
{
    private const uint TypeMask = 0xF000, Directory = 0x4000, OthersMask = 0x3F;
    private const long LittleSpace = 64L << 20;

    public static IEnumerable<Finding> Run(string directory)
    {
        Finding ownership = Ownership(directory);
        yield return ownership;
        string existing = System.IO.Directory.Exists(directory) ? directory : Path.GetDirectoryName(Path.GetFullPath(directory)) ?? "/";
        if (!System.IO.Directory.Exists(existing))
        {
            yield return Finding.Problem("file system", $"{existing} does not exist", "mount a tmpfs there, or set IPC_DIR to a directory that exists");
            yield break;
        }

        yield return FileSystem(existing);
        yield return Space(existing);
        if (ownership.Verdict != Verdict.Problem)
            yield return Files(existing);
        yield return Regions(directory);
        yield return Machine();
    }

    /// <summary>Where users meet: none is made here, and what is there has to be what the libraries ask for.</summary>
    private static Finding Machine()
    {
        const string Check = "machine";
        string? set = Environment.GetEnvironmentVariable("IPC_MACHINE_DIR");
        string wanted = string.IsNullOrEmpty(set) ? "/dev/shm/ipc-machine" : Path.GetFullPath(set);
        if (statx(AT_FDCWD, wanted, AT_SYMLINK_NOFOLLOW, Statx.BasicStats, out Statx found) != 0)
            return Finding.Ok(Check, $"{wanted}, where users meet, is not there yet; the first program with a name of the machine makes it");
        try
        {
            LinuxOs.CheckMachineDirectory(wanted, found); // and not Os.Current.MachineDirectory(), which for root takes it over
            string text = $"{wanted}, where users meet, of user {found.Uid}, mode {Convert.ToString(found.Mode & 0xFFF, 8)}";
            return found.Uid == 0 || found.Uid == geteuid()
                ? Finding.Ok(Check, text)
                : Finding.Warning(Check, $"{text}: that user can remove what others have there", "let a program of root use a name of the machine once, for instance at the start of the system");
        }
        catch (IpcException error)
        {
            return Finding.Problem(Check, error.Message, $"chmod u=rwx,g=rwx,o=rwx,g-s,+t {wanted}; or have its owner, or root, remove it: the next program with a name of the machine makes it anew");
        }
    }

    private static Finding Ownership(string directory)
    {
        const string Check = "directory";
        uint user = geteuid();
        bool isGiven = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("IPC_DIR"));
        string which = directory + (isGiven ? " (IPC_DIR)" : "");
        if (statx(AT_FDCWD, directory, AT_SYMLINK_NOFOLLOW, Statx.BasicStats, out Statx found) != 0)
        {
            string parent = Path.GetDirectoryName(Path.GetFullPath(directory)) ?? "/";
            return System.IO.Directory.Exists(parent)
                ? Finding.Ok(Check, $"{which} is not there yet; the first program makes it")
                : Finding.Problem(Check, $"{which} cannot be made: {parent} does not exist", "set IPC_DIR to a directory whose parent exists");
        }

        if ((found.Mode & TypeMask) != Directory && !(isGiven && System.IO.Directory.Exists(directory)))
            return Finding.Problem(Check, $"{which} is not a directory", $"remove it, or set IPC_DIR elsewhere");
        if (found.Uid != user && !isGiven)
            return Finding.Problem(Check, $"{which} belongs to user {found.Uid}, this is user {user}", "have that user remove it, or set IPC_DIR to a directory of your own");
        if ((found.Mode & OthersMask) != 0)
        {
            string mode = Convert.ToString(found.Mode & 0xFFF, 8);
            return isGiven
                ? Finding.Warning(Check, $"{which} has mode {mode}: others can see names there, or remove them", $"chmod 700 {directory}, unless they are meant to")
                : Finding.Problem(Check, $"{which} has mode {mode}, and the libraries refuse one that is open to others", $"chmod 700 {directory}");
        }

        return Finding.Ok(Check, $"{which}, of user {user}, closed to others");
    }

    private static Finding FileSystem(string directory)
    {
        string format = new DriveInfo(directory).DriveFormat;
        return format is "tmpfs" or "ramfs" or "hugetlbfs"
            ? Finding.Ok("file system", $"{format}: memory")
            : Finding.Warning("file system", $"{format}: a disk is written to now and then", "use a directory on a tmpfs, such as /dev/shm");
    }

    private static Finding Space(string directory)
    {
        var drive = new DriveInfo(directory);
        string text = $"{Human.Bytes(drive.AvailableFreeSpace)} free of {Human.Bytes(drive.TotalSize)}";
        return drive.AvailableFreeSpace >= LittleSpace
            ? Finding.Ok("space", text)
            : Finding.Warning("space", text + ": large regions will be refused", "free some ('ipc clean'), mount it larger (mount -o remount,size=1G /dev/shm), or start the container with --shm-size=1g");
    }

    /// <summary>A file without a name, its lock, its holes.</summary>
    private static Finding Files(string directory)
    {
        const string Check = "files and locks";
        try
        {
            using RegionFile file = Os.Current.CreateFile(directory, 4096, [new FileRange(0, 4096)]);
            if (file.TemporaryPath is not null)
            {
                Os.Current.Unlink(file.TemporaryPath);
                return Finding.Warning(Check, "files without a name (O_TMPFILE) are not known here: a creator that is killed can leave a file", "use a tmpfs, such as /dev/shm");
            }

            return Os.Current.TryLock(file, 1)
                ? Finding.Ok(Check, "files without a name, reserved memory, locks that die with their process")
                : Finding.Problem(Check, "a lock on a new file was refused", "use a local file system, such as a tmpfs");
        }
        catch (IpcException error)
        {
            return Finding.Problem(Check, error.Message, error.Status == IpcStatus.NoSpace
                ? "free some ('ipc clean'), or mount it larger"
                : "give this user the right to write there, or set IPC_DIR elsewhere");
        }
    }

    private static Finding Regions(string directory)
    {
        List<RegionReport> reports = Inspector.All(directory, InspectionDepth.Quick);
        string text = reports.Count.ToString(CultureInfo.InvariantCulture) + " in all";
        if (reports.FirstOrDefault(static report => report.State == RegionState.Damaged) is { } damaged)
            return Finding.Problem("regions", $"{text}; {damaged.Name} is damaged: {damaged.Damage[0]}", $"end the programs that use it and remove {damaged.Path}");
        int dead = reports.Count(static report => report.IsDead);
        if (dead > 0)
            return Finding.Warning("regions", $"{text}; {dead} were left by programs that died", "'ipc clean' removes them; the next user of a name does so, too");
        return reports.FirstOrDefault(static report => report.State == RegionState.Foreign) is { } foreign
            ? Finding.Warning("regions", $"{text}; {foreign.Name} is none", "keep other files out of that directory")
            : Finding.Ok("regions", text + ", nothing left by the dead");
    }
}
