using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>What another user can do, and cannot: SECURITY.md says the same.</summary>
public sealed class UsersHostileTests
{
    private const string Long = "timeout=600000", All = "access=everybody";

    /// <summary>Mallory has taken the name of the server first: who demands its user is told, and sends nothing.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhoTakesAServersNameGetsNoClientOfIts(Language one, Language other)
    {
        using UserGround ground = new();
        Driven mallory = ground.As(UserGround.Mallory, one), client = ground.As(UserGround.Bert, other), server = ground.As(UserGround.Anna, one);
        mallory.Must($"listen 1 machine/server {All}");
        UserGround.IsDenied(client.Do($"connect 1 machine/server access=users:{UserGround.Anna}"), $"was made by user {UserGround.Mallory}");
        UserGround.IsDenied(client.Do("connect 1 machine/server"), $"was made by user {UserGround.Mallory}");
        Assert.Equal(IpcStatus.InUse, server.Do($"listen 1 machine/server {All}").Status);
        mallory.Kill();
        UserGround.IsDenied(server.Do($"listen 1 machine/server {All}"), $"belongs to user {UserGround.Mallory}: only that user or root can remove it");
        UserGround.IsDenied(server.Do("open-writer 2 machine/server"), $"was made by user {UserGround.Mallory}");
        Driven root = ground.AsRoot(other);
        root.Must($"listen 1 machine/server {All}"); // root can
    }

    /// <summary>A file that everybody can write is nobody's word, whoever owns it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhoAsksForSomebodyGetsNothingThatEverybodyCanWrite(Language one, Language other)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other);
        anna.Must($"open-writer 1 machine/open {All}");
        UserGround.IsDenied(bert.Do($"open-reader 1 machine/open access=users:{UserGround.Anna}"), $"is shared with everybody by user {UserGround.Anna}");
    }

    /// <summary>Mallory wants to be taken for Bert: a file that is Bert's, in which others could write, is no connection of Bert's.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AConnectionThatOthersCanWriteIsNotBelieved(Language language)
    {
        using UserGround ground = new(isMade: true);
        Driven server = ground.As(UserGround.Anna, language);
        server.Must($"listen 1 machine/server {All}");
        server.Begin($"next 1 {Long}");
        using (LiveRegion listener = new(ground.FileOf("server")))
        {
            foreach ((uint owner, int mode) in new[] { (UserGround.Bert, 0x1B6), (UserGround.Bert, 0x1B0) }) // 0666, 0660
            {
                using FakeClient client = FakeClient.Connect(ground.Made!, "server", listener, static (_, _) => { }, (_, file) =>
                {
                    Assert.Equal(0, ChangeOwner(file, owner, owner));
                    File.SetUnixFileMode(file, (UnixFileMode)mode);
                });
                client.WaitUntilIdle();
                Assert.False(server.HasAnswered);
            }
        }

        Driven bert = ground.As(UserGround.Bert, language);
        bert.Begin($"connect 1 machine/server {All} {Long}");
        Assert.Equal(UserGround.Bert, server.Result()["user"]);
    }

    /// <summary>A client that is killed while it asks leaves its file, which its server cannot remove; the next of that user does.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatAKilledClientLeavesItsUsersNextRemoves(Language one, Language other)
    {
        using UserGround ground = new(isMade: true); // who makes the directory could remove it
        Driven server = ground.As(UserGround.Anna, one), killed = ground.As(UserGround.Bert, other);
        server.Must($"listen 1 machine/server {All}");
        killed.Begin($"connect 1 machine/server {All} {Long}");
        Watchdog.Until(() => ground.Files.Length == 2, "the client to ask");
        killed.Kill();
        server.Begin($"serve 1 {Long}");
        ground.As(UserGround.Mallory, other).Must($"connect 1 machine/server {All} {Long}");
        Assert.Equal(2, ground.Files.Length); // not a stranger's to remove
        ground.As(UserGround.Bert, one).Must($"connect 1 machine/server {All} {Long}");
        Assert.Equal(["server"], ground.Files);
    }

    /// <summary>Nobody removes or renames what is another's; and what only two can read, a third cannot.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void NobodyRemovesRenamesOrReadsWhatIsAnothers(Language language)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, language), bert = ground.As(UserGround.Bert, language);
        anna.Must($"open-writer 1 machine/open {All}");
        anna.Must("open-writer 2 machine/closed");
        anna.Must($"listen 3 machine/server {All}");
        bert.Begin($"connect 1 machine/server {All} {Long}");
        Watchdog.Until(() => ground.Files.Length == 4, "the client to ask");
        string connection = ground.FileOf(ground.Files.Single(static file => file.Contains('~', StringComparison.Ordinal)));
        foreach (string command in new[]
        {
            $"rm -f {ground.FileOf("open")}", $"mv {ground.FileOf("open")} {ground.FileOf("other")}", $"cat {ground.FileOf("closed")}",
            $"cat {connection}", $"rm -f {connection}", $"truncate -s 0 {connection}", $"rmdir {ground.Machine}", $"mv {ground.Machine} {ground.Machine}2",
        })
            Assert.True(RunAs(UserGround.Mallory, command) != 0, command);
        Assert.Equal(4, ground.Files.Length);
    }

    /// <summary>Who may write a region may truncate it, and ends whoever has it mapped: it is said in SECURITY.md. Its owner begins anew.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void WhoIsAdmittedCanEndAServerThatIsStartedAgain(Language language)
    {
        using UserGround ground = new();
        Driven server = ground.As(UserGround.Anna, language);
        server.Must($"listen 1 machine/server {All}");
        Assert.Equal(0, RunAs(UserGround.Mallory, $"truncate -s 0 {ground.FileOf("server")}"));
        server.Begin("next 1 timeout=1000");
        Assert.NotEqual(0, server.WaitForExit());
        Driven again = ground.As(UserGround.Anna, language);
        Answer refused = again.Do($"listen 1 machine/server {All}");
        Assert.True(refused.Status == IpcStatus.Corrupt, refused.Line); // to be removed by hand, which its owner can
        Assert.Equal(0, RunAs(UserGround.Anna, $"rm {ground.FileOf("server")}"));
        again.Must($"listen 1 machine/server {All}");
    }

    /// <summary>A directory in which others could exchange files is none; root takes over that of another only where it is the default one.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ADirectoryThatOthersCanChangeIsRefused(Language language)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, language);
        Directory.CreateDirectory(ground.Machine);
        File.SetUnixFileMode(ground.Machine, (UnixFileMode)0x1FF); // 0777
        UserGround.IsDenied(anna.Do($"open-writer 1 machine/it {All}"), "sticky");
        File.SetUnixFileMode(ground.Machine, (UnixFileMode)0x7FF); // 3777
        UserGround.IsDenied(anna.Do($"open-writer 1 machine/it {All}"), "set-gid");
        Directory.Delete(ground.Machine);
        Directory.CreateSymbolicLink(ground.Machine, ground.Path);
        UserGround.IsDenied(anna.Do($"open-writer 1 machine/it {All}"), "not a directory");
        File.Delete(ground.Machine);
        anna.Must($"open-writer 1 machine/it {All}");
        Assert.Equal((UnixFileMode)0x3FF, File.GetUnixFileMode(ground.Machine)); // 1777, whatever the umask
    }

    private static int RunAs(uint user, string command)
    {
        string[] words = command.Split(' ');
        using Process process = Process.Start(new ProcessStartInfo("setpriv", [$"--reuid={user}", $"--regid={user}", "--clear-groups", .. words]) { RedirectStandardError = true, RedirectStandardOutput = true })!;
        process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode;
    }

    [DllImport("libc", EntryPoint = "chown", CharSet = CharSet.Ansi, BestFitMapping = false, ThrowOnUnmappableChar = true)]
    private static extern int ChangeOwner(string path, uint user, uint group);
}
