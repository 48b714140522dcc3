using System;
using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Programs of two users, and of a third whom it is no business of, in the machine directory.</summary>
public sealed class UsersTests
{
    private const string Long = "timeout=600000", All = "access=everybody";
    private const UnixFileMode Owners = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode Groups = Owners | UnixFileMode.GroupRead | UnixFileMode.GroupWrite;

    /// <summary>The opening by the one, by the other, what the one does, and what the other then finds.</summary>
    public static TheoryData<Language, Language, string, string, string, string> Kinds
    {
        get
        {
            var data = new TheoryData<Language, Language, string, string, string, string>();
            foreach ((Language one, Language other) in new[] { (Language.C, Language.C), (Language.C, Language.CSharp), (Language.CSharp, Language.C), (Language.CSharp, Language.CSharp) })
            {
                data.Add(one, other, "open-writer", "open-reader", "write 1 7 20 7", "read 1");
                data.Add(one, other, "open-queue", "open-queue", "write 1 7 20 7", "read 1");
                data.Add(one, other, "open-mutex", "open-mutex", "capacity-free", "acquire 1");
                data.Add(one, other, "open-semaphore", "open-semaphore", "capacity-free", "acquire 1");
                data.Add(one, other, "open-event", "open-event", "set 1", "wait 1");
            }
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void WhatIsSharedWithEverybodyIsOpenedByAnotherUser(Language one, Language other, string opens, string joins, string acts, string finds)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other);
        anna.Must($"{opens} 1 machine/it {All}");
        bert.Must($"{joins} 1 machine/it open=existing {All}");
        if (acts != "capacity-free")
            anna.Must(acts);
        bert.Must($"{finds} {Long}");
    }

    /// <summary>Subscribed before it is published, and woken across the users.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ATopicWakesReadersOfAnotherUser(Language one, Language other)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other);
        bert.Must($"open-subscriber 1 machine/news {All} wait=block");
        anna.Must($"open-publisher 1 machine/news open=existing {All}");
        bert.Begin($"read 1 {Long}");
        bert.WaitUntilAsleep();
        anna.Must("write 1 7 20 7");
        Assert.Equal(7, bert.Result()["type"]);
    }

    /// <summary>By default a region is its user's, in the machine directory too, and nobody else's is accepted.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ByDefaultNobodyElseIsLetIn(Language one, Language other)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other);
        anna.Must("open-writer 1 machine/mine");
        anna.Must("listen 2 machine/server");
        Assert.Equal(Owners, File.GetUnixFileMode(ground.FileOf("mine")));
        foreach (string access in new[] { "", All, $"access=users:{UserGround.Anna}" })
        {
            UserGround.IsDenied(bert.Do($"open-reader 1 machine/mine {access}"), $"user {UserGround.Anna}");
            UserGround.IsDenied(bert.Do($"connect 1 machine/server {access}"), $"user {UserGround.Anna}");
            UserGround.IsDenied(bert.Do($"listen 1 machine/server {access}"), $"user {UserGround.Anna}");
        }

        anna.Must($"open-writer 3 machine/ours {All}");
        UserGround.IsDenied(bert.Do("open-reader 1 machine/ours"), $"was made by user {UserGround.Anna}"); // who does not want others gets none
        Assert.Equal(0, anna.Finish());
        Assert.Empty(ground.Files);
    }

    /// <summary>The server knows who asks, whatever the client says of itself; the client knows its server.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void BothSidesOfAConnectionKnowTheOthersUser(Language one, Language other)
    {
        using UserGround ground = new();
        Driven server = ground.As(UserGround.Anna, one), client = ground.As(UserGround.Bert, other);
        server.Must($"listen 1 machine/server {All}");
        client.Begin($"connect 1 machine/server hello=I-am-root access=users:{UserGround.Anna} {Long}");
        Answer asks = server.Must($"next 1 {Long}");
        Assert.Equal(UserGround.Bert, asks["user"]);
        Assert.Equal(client.ProcessId, asks["pid"]);
        server.Must($"accept {asks["connection"]}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        Assert.Equal(UserGround.Anna, client.Must("state 1")["user"]);
        Assert.Equal(["server"], ground.Files); // its owner has removed the connection's name
        client.Must("write 1 7 20 7");
        server.Must($"return 1 {asks["connection"]}");
        Assert.Equal(2, server.Must($"next 1 {Long}")["kind"]);
        Assert.Equal(7, server.Must($"read {asks["connection"]}")["type"]);
        server.Must($"release {asks["connection"]}");
        Assert.Equal(0, client.Finish());
        server.Must($"return 1 {asks["connection"]}");
        Assert.Equal(3, server.Must($"next 1 {Long}")["kind"]);
        Assert.Equal(0, server.Finish());
        Assert.Empty(ground.Files);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheClientMayComeFirst(Language one, Language other)
    {
        using UserGround ground = new();
        Driven server = ground.As(UserGround.Anna, one), client = ground.As(UserGround.Bert, other);
        client.Begin($"connect 1 machine/server {All} {Long}");
        server.Must($"listen 1 machine/server {All}");
        server.Begin($"serve 1 {Long}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        client.Must("write 1 7 20 65535");
        Assert.Equal(65535, client.Must($"read 1 {Long}")["type"]);
        Assert.Equal(1, server.Result()["accepted"]);
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AGroupIsForItsMembers(Language one, Language other)
    {
        using UserGround ground = new();
        string access = $"access=group:{UserGround.Club}";
        Driven anna = ground.As(UserGround.Anna, one, inClub: true), bert = ground.As(UserGround.Bert, other, inClub: true), mallory = ground.As(UserGround.Mallory, other);
        anna.Must($"open-writer 1 machine/club {access}");
        Assert.Equal(Groups, File.GetUnixFileMode(ground.FileOf("club")));
        bert.Must($"open-reader 1 machine/club open=existing {access}");
        anna.Must("write 1 7 20 7");
        Assert.Equal(7, bert.Must($"read 1 {Long}")["type"]);
        anna.Must($"listen 2 machine/bar {access}");
        bert.Begin($"connect 2 machine/bar {access} {Long}");
        Answer asks = anna.Must($"next 2 {Long}");
        Assert.Equal(UserGround.Bert, asks["user"]);
        anna.Must($"accept {asks["connection"]}");
        Assert.Equal(IpcStatus.Ok, bert.Result().Status);

        UserGround.IsDenied(mallory.Do($"open-reader 1 machine/club {access}"), $"user {UserGround.Anna}");
        UserGround.IsDenied(mallory.Do($"connect 1 machine/bar {All}"), $"user {UserGround.Anna}");
        UserGround.IsDenied(mallory.Do($"open-writer 1 machine/new {access}"), "not in it");
        mallory.Must($"open-writer 2 machine/hers {All}");
        UserGround.IsDenied(bert.Do($"open-reader 3 machine/hers {access}"), $"was made by user {UserGround.Mallory}");
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AListIsForThoseInIt(Language one, Language other)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other), mallory = ground.As(UserGround.Mallory, other);
        string access = $"access=users:{UserGround.Anna},{UserGround.Bert}";
        anna.Must($"open-queue 1 machine/two {access}");
        bert.Must($"open-queue 1 machine/two open=existing {access}");
        anna.Must("write 1 7 20 7");
        Assert.Equal(7, bert.Must($"read 1 {Long}")["type"]);
        UserGround.IsDenied(mallory.Do($"open-queue 1 machine/two {All}"), $"user {UserGround.Anna}");
        anna.Must($"listen 2 machine/server {access}");
        UserGround.IsDenied(mallory.Do($"connect 1 machine/server {All}"), $"user {UserGround.Anna}");
    }

    /// <summary>Who waits for another user's process is told of its death; who is not told of one does not take it for dead.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheDeathOfAnotherUsersProcessIsNoticed(Language one, Language other)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other);
        anna.Must($"open-writer 1 machine/ring {All}");
        bert.Must($"open-reader 1 machine/ring open=existing {All} wait=block");
        anna.Must($"open-mutex 2 machine/lock {All}");
        bert.Must($"open-mutex 2 machine/lock open=existing {All} wait=block");
        anna.Must("acquire 2");
        Assert.Equal(IpcStatus.Timeout, bert.Do("acquire 2 timeout=100").Status);
        bert.Begin($"read 1 {Long}");
        bert.WaitUntilAsleep();
        anna.Kill();
        Assert.Equal(IpcStatus.PeerDied, bert.Result().Status);
        Assert.Equal(IpcStatus.Abandoned, bert.Do($"acquire 2 {Long}").Status);
    }

    /// <summary>A /proc that hides others' processes says of a living one that it is not there.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void WhoCannotBeSeenIsNotTakenForDead(Language language)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, language), bert = ground.As(UserGround.Bert, language, hides: true);
        anna.Must($"open-mutex 1 machine/lock {All}");
        anna.Must("acquire 1");
        bert.Must($"open-mutex 1 machine/lock {All}");
        Assert.Equal(IpcStatus.Timeout, bert.Do("acquire 1 timeout=300").Status);
        anna.Kill();
        Assert.Equal(IpcStatus.Abandoned, bert.Do($"acquire 1 {Long}").Status);
    }

    /// <summary>Only its owner can remove a region. Who is not leaves it as it is; the next inherits it; its owner ends it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void TheLastToLeaveIsNotTheOwner(Language one, Language other)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, one), bert = ground.As(UserGround.Bert, other);
        anna.Must($"open-writer 1 machine/ring {All}");
        bert.Must($"open-reader 1 machine/ring open=existing {All}");
        anna.Must("write 1 7 20 7");
        anna.Must("close 1");
        Assert.Equal(7, bert.Must("read 1")["type"]);
        bert.Must("release 1");
        bert.Must("close 1");
        Assert.Equal(["ring"], ground.Files);

        Answer taken = bert.Do($"open-writer 1 machine/ring open=create {All}");
        Assert.True(taken.Status == IpcStatus.Exists, taken.Line);
        bert.Must($"open-writer 1 machine/ring {All}");
        bert.Must("write 1 8 20 8");
        Driven carla = ground.As(UserGround.Mallory, one);
        carla.Must($"open-reader 1 machine/ring open=existing {All}");
        Assert.Equal(8, carla.Must("read 1")["type"]);
        carla.Must("release 1");
        Assert.Equal(0, carla.Finish());
        Assert.Equal(0, bert.Finish());
        Assert.Equal(["ring"], ground.Files);

        anna.Must($"open-writer 1 machine/ring open=create {All}"); // hers: the left-over goes
        anna.Must("close 1");
        Assert.Empty(ground.Files);
    }

    /// <summary>What is asked of a name of this user's own, or where there is no such place, is refused with words.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void OnlyANameOfTheMachineIsShared(Language language)
    {
        using UserGround ground = new();
        Driven anna = ground.As(UserGround.Anna, language);
        Answer own = anna.Do($"open-writer 1 mine {All}");
        Assert.True(own.Status == IpcStatus.InvalidArgument, own.Line);
        Assert.Contains("machine/mine", own.Text, StringComparison.Ordinal);
        Assert.Equal(IpcStatus.InvalidName, anna.Do("open-writer 1 machine/").Status);
        Assert.Equal(IpcStatus.InvalidName, anna.Do("open-writer 1 machine/../x").Status);
        Assert.Equal(IpcStatus.InvalidName, anna.Do("open-writer 1 machines/x").Status);
    }
}
