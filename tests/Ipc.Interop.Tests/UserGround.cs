using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A machine directory that is not there yet, and users who meet in it: their processes are theirs in earnest. Needs root to become them.</summary>
internal sealed class UserGround : IDisposable
{
    public const uint Anna = 64101, Bert = 64102, Mallory = 64103, Club = 64110;

    private const UnixFileMode Open = (UnixFileMode)0x3FF; // 1777
    private readonly List<Driven> _driven = [];

    /// <param name="isMade">The machine directory is there already, root's.</param>
    public UserGround(bool isMade = false)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to become other users");
        Path = $"/dev/shm/ipc-users-{Environment.ProcessId}-{Guid.NewGuid():N}"[..40]; // not under IPC_DIR, which only we may enter
        Directory.CreateDirectory(Path);
        File.SetUnixFileMode(Path, Open);
        Machine = Path + "/machine";
        if (!isMade)
            return;
        Made = new RegionDirectory(Path);
        File.SetUnixFileMode(Made.Path, Open);
        Machine = Made.Path;
    }

    public string Path { get; }

    /// <summary>The machine directory, once somebody has made it.</summary>
    public string Machine { get; }

    /// <summary>The same, if it was made here.</summary>
    public RegionDirectory? Made { get; }

    public Driven As(uint user, Language language, bool inClub = false, bool hides = false)
    {
        Dictionary<string, string> environment = new() { ["IPC_MACHINE_DIR"] = Machine };
        Driven? driven = Driven.TryStartAs(user, language, $"{Path}/of-{user}", group: inClub ? Club : null, hides: hides, environment: environment);
        Assert.SkipWhen(driven == null, $"user {user} cannot run the peer here (setpriv is missing, or the build is not readable for others)");
        _driven.Add(driven!);
        return driven!;
    }

    /// <summary>As the user who runs the tests.</summary>
    public Driven AsRoot(Language language)
    {
        Driven driven = Driven.Start(language, $"{Path}/of-root", new Dictionary<string, string> { ["IPC_MACHINE_DIR"] = Machine });
        _driven.Add(driven);
        return driven;
    }

    public string FileOf(string name) => $"{Machine}/{name}";

    /// <summary>What is in the machine directory.</summary>
    public string[] Files => [.. Directory.GetFileSystemEntries(Machine).Select(file => System.IO.Path.GetFileName(file)).Order(StringComparer.Ordinal)];

    /// <summary>Refused, and told why.</summary>
    public static void IsDenied(Answer answer, string why)
    {
        Assert.True(answer.Status == IpcStatus.AccessDenied, answer.Line);
        Assert.Contains(why, answer.Text, StringComparison.Ordinal);
    }

    public void Dispose()
    {
        foreach (Driven driven in _driven)
            driven.Dispose();
        Directory.Delete(Path, recursive: true);
    }
}
