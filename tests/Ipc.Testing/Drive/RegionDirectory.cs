using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;

namespace Ipc.Testing.Drive;

/// <summary>A directory of regions for one test class; the peers get it as IPC_DIR. Gone when disposed.</summary>
[SupportedOSPlatform("linux")]
[SupportedOSPlatform("windows")]
public sealed class RegionDirectory : IDisposable
{
    public RegionDirectory(string? under = null)
    {
        string parent = under ?? Environment.GetEnvironmentVariable("IPC_DIR") ?? (Directory.Exists("/dev/shm") ? "/dev/shm" : System.IO.Path.GetTempPath());
        Directory.CreateDirectory(parent);
        Path = System.IO.Path.Combine(parent, $"ipc-test-{Environment.ProcessId}-{Guid.NewGuid():N}"[..40]);
        if (OperatingSystem.IsWindows())
            Directory.CreateDirectory(Path);
        else
            Directory.CreateDirectory(Path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    public string Path { get; }

    public string FileOf(string name) => System.IO.Path.Combine(Path, name);

    public bool Has(string name) => File.Exists(FileOf(name));

    /// <summary>A region as a file that a crash, or an attacker, left there.</summary>
    public void Place(string name, ReadOnlySpan<byte> bytes)
    {
        var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using FileStream file = new(FileOf(name), options);
        file.Write(bytes);
    }

    /// <summary>Windows: the name of a region that was removed, and that somebody has mapped.</summary>
    public static bool IsRemoved(string file) => file.StartsWith("~dead.", StringComparison.Ordinal);

    public byte[] Read(string name) => File.ReadAllBytes(FileOf(name));

    /// <summary>The same, without the bit that says that somebody sleeps until a participant comes or goes: a thread
    /// of the peer's sets it in its own time.</summary>
    public byte[] ReadOfLive(string name)
    {
        byte[] bytes = Read(name);
        bytes[RegionHeader.ChangeOffset] &= unchecked((byte)~WaiterWords.SleeperBit);
        return bytes;
    }

    /// <summary>The memory behind a region, in bytes: its holes count for nothing.</summary>
    public long BlocksOf(string name)
    {
        var start = new System.Diagnostics.ProcessStartInfo("stat", ["-c", "%b", FileOf(name)]) { RedirectStandardOutput = true };
        using var stat = System.Diagnostics.Process.Start(start)!;
        return 512 * long.Parse(stat.StandardOutput.ReadToEnd(), System.Globalization.CultureInfo.InvariantCulture);
    }

    /// <summary>What is there of one name: the region and the connections of a listener.</summary>
    public IReadOnlyList<string> FilesOf(string name) => [.. Directory.GetFileSystemEntries(Path)
        .Select(file => System.IO.Path.GetFileName(file))
        .Where(file => !IsRemoved(file))
        .Where(file => file == name || file.StartsWith(name + "~", StringComparison.Ordinal) || file.StartsWith('~'))
        .Order(StringComparer.Ordinal)];

    /// <summary>What is there of <paramref name="name"/> although nobody is: files that do not hold messages which nobody has received.</summary>
    public IReadOnlyList<string> LeftOf(string name) => [.. FilesOf(name).Where(file => !Images.Unread.IsIn(System.IO.Path.Combine(Path, file)))];

    /// <summary>Not while somebody has it mapped still; the test says so, if that is wrong.</summary>
    private static void TryDelete(Action delete)
    {
        try
        {
            delete();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    public void Dispose()
    {
        if (!OperatingSystem.IsWindows())
        {
            Directory.Delete(Path, recursive: true);
            return;
        }

        foreach (string file in Directory.GetFiles(Path))
            TryDelete(() => File.Delete(file));
        TryDelete(() => Directory.Delete(Path, recursive: true));
    }
}
