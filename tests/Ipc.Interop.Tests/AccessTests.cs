using System;
using System.IO;
using System.Runtime.InteropServices;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Who may see a region, and what happens when there is no room for one. Most of it needs root to be set up.</summary>
public sealed class AccessTests(Peers peers)
{
    private const uint Nobody = 65534;

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void FilesAreForTheirOwnerOnly(Language language)
    {
        Driven peer = peers.At(language, "victim");
        string ring = peers.NewName("mode"), listener = peers.NewName("mode");
        peer.Must($"open-writer 1 {ring}");
        peer.Must($"listen 2 {listener}");
        foreach (string name in new[] { ring, listener })
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(peers.Directory.FileOf(name)));
        peer.Must("close 1");
        peer.Must("close 2");
    }

    /// <summary>The directory is made by the library: 0700, whatever the umask says.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void TheDirectoryIsForItsOwnerOnly(Language language)
    {
        using var outer = new RegionDirectory();
        string inner = Path.Combine(outer.Path, "made-by-the-library");
        using Driven peer = Driven.Start(language, inner);
        peer.Must("open-writer 1 first");
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(inner));
        Assert.Equal(0, peer.Finish());
        Assert.Empty(Directory.GetFileSystemEntries(inner));
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ARegionOfAnotherUserIsDenied(Language language)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to give a file to another user");
        Driven peer = peers.At(language, "victim");
        string name = peers.NewName("foreign");
        byte[] bytes = RegionImage.Ring().AddNumbered(1, 1, 50).Bytes;
        peers.Directory.Place(name, bytes);
        Assert.Equal(0, ChangeOwner(peers.Directory.FileOf(name), Nobody, Nobody));
        foreach (string command in new[] { $"open-reader 1 {name} open=existing", $"open-writer 1 {name}", $"open-writer 1 {name} open=create", $"connect 1 {name}", $"listen 1 {name}" })
        {
            Answer answer = peer.Do(command);
            Assert.True(answer.Status == IpcStatus.AccessDenied, $"{command}: {answer}");
            Assert.Contains($"belongs to user {Nobody}, this is user 0", answer.Text, StringComparison.Ordinal);
        }
        Assert.Equal(bytes, peers.Directory.Read(name));
        File.Delete(peers.Directory.FileOf(name));
    }

    /// <summary>/dev/shm is open to all: another user may have made our directory first. Whose it is counts, not what its mode would allow.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ADefaultDirectoryThatAnotherUserHasMadeIsRefused(Language language)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to become another user");
        string path = $"/dev/shm/ipc-{Nobody}";
        Assert.SkipWhen(Directory.Exists(path), $"{path} is in use");
        Directory.CreateDirectory(path);
        try
        {
            File.SetUnixFileMode(path, (UnixFileMode)0x1FF);
            using Driven? stranger = Driven.TryStartAs(Nobody, language, ""); // an empty IPC_DIR is none
            Assert.SkipWhen(stranger == null, $"user {Nobody} cannot run the peer here (setpriv is missing, or the build is not readable for others)");
            foreach (string command in new[] { "open-writer 1 ring", "open-reader 1 ring open=existing", "connect 1 server", "listen 1 server" })
            {
                Answer answer = stranger!.Do(command);
                Assert.True(answer.Status == IpcStatus.AccessDenied, $"{command}: {answer}");
            }
            Assert.Empty(Directory.GetFileSystemEntries(path));
        }
        finally
        {
            Directory.Delete(path, true);
        }
    }

    /// <summary>Whoever starts a program that runs as somebody else chooses its environment, but not where it meets others.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AProgramWithMoreRightsThanWhoStartedItDoesNotObeyTheEnvironment(Language language)
    {
        Matrix.SkipWhenEmulated(language, "that a program has more rights than who started it");
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to become another user");
        string path = $"/dev/shm/ipc-{Nobody}";
        Assert.SkipWhen(Directory.Exists(path), $"{path} is in use");
        using var elsewhere = new RegionDirectory();
        File.SetUnixFileMode(elsewhere.Path, (UnixFileMode)0x1FF);
        try
        {
            using Driven? peer = Driven.TryStartAs(Nobody, language, elsewhere.Path, startedBy: Nobody - 1);
            Assert.SkipWhen(peer == null, $"user {Nobody} cannot run the peer here (setpriv is missing, or the build is not readable for others)");
            peer!.Must("open-writer 1 ring");
            Assert.Empty(Directory.GetFileSystemEntries(elsewhere.Path));
            Assert.Equal([path + "/ring"], Directory.GetFileSystemEntries(path));
            Assert.Equal(0, peer.Finish());
        }
        finally
        {
            if (Directory.Exists(path))
                Directory.Delete(path, true);
        }
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AnotherUserIsDenied(Language language)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to become another user");
        string name = peers.NewName("ours");
        Driven owner = peers.At(Matrix.Other(language), "writer");
        owner.Must($"open-writer 1 {name}");
        using (Driven? stranger = Driven.TryStartAs(Nobody, language, peers.Directory.Path))
        {
            Assert.SkipWhen(stranger == null, $"user {Nobody} cannot run the peer here (setpriv is missing, or the build is not readable for others)");
            foreach (string command in new[] { $"open-reader 1 {name} open=existing", $"open-reader 1 {name}", $"open-writer 1 {name}-2", $"connect 1 {name}", $"listen 1 {name}" })
            {
                Answer answer = stranger!.Do(command);
                Assert.True(answer.Status == IpcStatus.AccessDenied, $"{command}: {answer}");
            }
        }
        owner.Must("close 1");
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AFullDiskIsAnErrorAtCreationAndLeavesNothing(Language language)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root to mount a small file system");
        using SmallDisk? disk = SmallDisk.TryMount(128);
        Assert.SkipWhen(disk is null, "a tmpfs cannot be mounted here");
        RegionDirectory small = disk!.Directory;
        using Driven peer = Driven.Start(language, small);
        Answer answer = peer.Do("open-writer 1 big capacity=1048576");
        Assert.Equal(IpcStatus.NoSpace, answer.Status);
        Assert.NotEqual("", answer.Text);
        Assert.Equal(IpcStatus.NoSpace, peer.Do("listen 1 large max=4095").Status);
        Assert.Empty(Directory.GetFileSystemEntries(small.Path));

        peer.Must("listen 1 service max=63");
        peer.Must("open-writer 3 little capacity=4096");
        peer.Must("write 3 1 100 1");
        disk.Fill();
        Assert.Equal(IpcStatus.NoSpace, peer.Do("connect 2 service timeout=1000").Status);
        disk.Drain();
        Assert.Equal(["service"], small.FilesOf("service"));
        Assert.Equal(0, peer.Finish());
        Assert.Equal([System.IO.Path.Combine(small.Path, "little")], Directory.GetFileSystemEntries(small.Path)); // what was written waits for its reader
    }

    [DllImport("libc", EntryPoint = "chown", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int ChangeOwner(string path, uint user, uint group);
}
