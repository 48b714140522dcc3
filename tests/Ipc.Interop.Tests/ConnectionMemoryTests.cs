using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A connection begins with little memory, and its writers make more when they need it; docs/wire-format/connection.md, Memory.</summary>
public sealed class ConnectionMemoryTests
{
    private const int Pattern = 7, Long = 200_000;
    private const string NoDisk = "a tmpfs cannot be mounted here";

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AQuietConnectionTakesLessThan32Kib(Language client, Language server)
    {
        using SmallDisk? disk = SmallDisk.TryMount(8192);
        Assert.SkipWhen(disk is null, NoDisk);
        using Driven service = Driven.Start(server, disk!.Directory), caller = Driven.Start(client, disk.Directory);
        service.Must("listen 1 service max=63");
        long before = disk.Free;
        for (int i = 2; i < 12; i++)
        {
            caller.Begin($"connect {i} service budget={256 << 20} timeout=600000");
            long connection = service.Must("next 1 timeout=600000")["connection"];
            service.Must($"accept {connection}");
            Assert.Equal(IpcStatus.Ok, caller.Result().Status);
            Send(caller, i, service, connection, 1, 1000);
            Send(service, connection, caller, i, 1, 1000);
        }

        Assert.InRange((before - disk.Free) / 10, 16 << 10, 32 << 10);
    }

    /// <summary>The largest records, and paddings, in the first lap and behind it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatIsSentInTheFirstLapArrives(Language client, Language server)
    {
        using RegionDirectory directory = new();
        using Driven service = Driven.Start(server, directory), caller = Driven.Start(client, directory);
        service.Must("listen 1 service max=63");
        int[][] shapes = [[130_000, 130_000, 130_000], [1, 131_000, 100, 131_000], [16_000, 300, 300, 16_000, 60_000, 131_064], [8, 131_064, 131_064], [16_320, 8, 8]];
        for (int i = 0; i < shapes.Length; i++)
        {
            caller.Begin($"connect {i + 2} service timeout=600000");
            long connection = service.Must("next 1 timeout=600000")["connection"];
            service.Must($"accept {connection}");
            Assert.Equal(IpcStatus.Ok, caller.Result().Status);
            foreach (int length in shapes[i])
            {
                Send(caller, i + 2, service, connection, 3, length);
                Send(service, connection, caller, i + 2, 4, length);
            }
        }
    }

    /// <summary>Nobody gets a signal that there is no answer to: the ring is full, and goes on when the disk has room.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void OnAFullDiskARingIsFullUntilThereIsRoom(Language client, Language server)
    {
        using SmallDisk? disk = SmallDisk.TryMount(2048);
        Assert.SkipWhen(disk is null, NoDisk);
        using Driven service = Driven.Start(server, disk!.Directory), caller = Driven.Start(client, disk.Directory);
        service.Must("listen 1 service max=63");
        caller.Begin("connect 2 service budget=1048576 timeout=600000");
        long connection = service.Must("next 1 timeout=600000")["connection"];
        service.Must($"accept {connection}");
        Assert.Equal(IpcStatus.Ok, caller.Result().Status);
        foreach ((Driven sender, long from, Driven receiver, long to) in new[] { (caller, 2L, service, connection), (service, connection, caller, 2L) })
        {
            disk.Fill();
            int sent = 0;
            while (sender.Do($"write {from} {Pattern} 1000 {sent + 1} timeout=100") is var answer && sent < 100)
            {
                if (answer.Status != IpcStatus.Ok)
                {
                    Assert.Equal(IpcStatus.Timeout, answer.Status);
                    break;
                }

                sent++;
            }

            Assert.InRange(sent, 5, 8);
            for (int i = 0; i < sent; i++)
                Receive(receiver, to, i + 1, 1000);
            Assert.Equal(IpcStatus.Timeout, sender.Do($"write {from} {Pattern} 1000 1 timeout=100").Status); // room in the ring is not memory
            Assert.Equal(IpcStatus.Timeout, sender.Do($"write {from} {Pattern} {Long} 1 timeout=100").Status);
            sender.Begin($"write {from} {Pattern} 1000 500 timeout=600000");
            disk.Drain();
            Assert.Equal(IpcStatus.Ok, sender.Result().Status);
            Receive(receiver, to, 500, 1000);

            disk.Fill();
            sender.Begin($"write {from} {Pattern} {Long} 501 timeout=600000");
            disk.Drain();
            Assert.Equal(IpcStatus.Ok, sender.Result().Status);
            Receive(receiver, to, 501, Long);
            for (int i = 0; i < 20; i++)
                Send(sender, from, receiver, to, i, 60_000);
        }
    }

    /// <summary>Both directions of a connection between new processes on a disk of two MiB.</summary>
    private static void OnADisk(Language client, Language server, Action<SmallDisk, Driven, long, Driven, long> check)
    {
        for (int direction = 0; direction < 2; direction++)
        {
            using SmallDisk? disk = SmallDisk.TryMount(2048);
            Assert.SkipWhen(disk is null, NoDisk);
            using Driven service = Driven.Start(server, disk!.Directory), caller = Driven.Start(client, disk.Directory);
            service.Must("listen 1 service max=63");
            caller.Begin("connect 2 service budget=1048576 timeout=600000");
            long connection = service.Must("next 1 timeout=600000")["connection"];
            service.Must($"accept {connection}");
            Assert.Equal(IpcStatus.Ok, caller.Result().Status);
            if (direction == 0)
                check(disk, caller, 2, service, connection);
            else
                check(disk, service, connection, caller, 2);
        }
    }

    /// <summary>Twice as much is a wish: one page is enough for what it has room for.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ARingGrowsByAPageWhereThereIsNoMore(Language client, Language server) =>
        OnADisk(client, server, static (disk, sender, from, receiver, to) =>
        {
            disk.Fill();
            int sent = 0;
            for (int pages = 0; pages < 3; pages++)
            {
                while (sender.Do($"write {from} {Pattern} 1000 1 timeout=50").Status == IpcStatus.Ok)
                    Receive(receiver, to, 1, 1000);
                int before = sent;
                disk.Drain(4096);
                for (; sender.Do($"write {from} {Pattern} 1000 1 timeout=50").Status == IpcStatus.Ok; sent++)
                    Receive(receiver, to, 1, 1000);
                Assert.InRange(sent - before, 3, 4);
            }
        });

    /// <summary>A block that is free keeps its pages, until somebody else needs them: its own ring is somebody.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ARingGetsWhatItsOwnPoolDoesNotUse(Language client, Language server) =>
        OnADisk(client, server, static (disk, sender, from, receiver, to) =>
        {
            Send(sender, from, receiver, to, 1, 500_000);
            disk.Fill();
            for (int i = 0; i < 200; i++)
                Send(sender, from, receiver, to, i, 1000);
            Send(sender, from, receiver, to, 1, 100_000);
        });

    /// <summary>What is committed is not kept back for as long as the disk is full.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ABatchIsPublishedWhereTheRingCannotGrow(Language client, Language server) =>
        OnADisk(client, server, static (disk, sender, from, receiver, to) =>
        {
            disk.Fill();
            sender.Must($"claim {from} 100");
            sender.Must($"batch {from} 100 9");
            Assert.Equal(IpcStatus.Timeout, sender.Do($"write {from} {Pattern} 9000 1 timeout=50").Status);
            Assert.Equal(9, receiver.Must($"read {to} timeout=600000")["type"]);
            receiver.Must($"release {to}");
            Assert.Equal(IpcStatus.Timeout, sender.Do($"write {from} {Pattern} {Long} 1 timeout=50").Status);
        });

    /// <summary>As before Linux 5.14: whoever needs the file to make memory keeps it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhereTheMappingMakesNoMemoryTheFileDoes(Language client, Language server)
    {
        Matrix.SkipWhenEmulated(client, "filters of system calls");
        Matrix.SkipWhenEmulated(server, "filters of system calls");
        for (int refused = 1; refused < 4; refused++)
        {
            using RegionDirectory directory = new();
            using Driven service = Driven.Start(server, directory), caller = Driven.Start(client, directory);
            if ((refused & 1) != 0)
                caller.Must("refuse-populate");
            if ((refused & 2) != 0)
                service.Must("refuse-populate");
            service.Must("listen 1 service max=63");
            caller.Begin("connect 2 service budget=1048576 timeout=600000");
            long connection = service.Must("next 1 timeout=600000")["connection"];
            service.Must($"accept {connection}");
            Assert.Equal(IpcStatus.Ok, caller.Result().Status);
            foreach (int length in new[] { 100, Long, 100_000, 60_000, 1, 130_000, 4 * Long, 100 })
            {
                Send(caller, 2, service, connection, 1, length);
                Send(service, connection, caller, 2, 2, length);
            }

            caller.Must("close 2");
            service.Must($"close {connection}");
            service.Must("close 1");
            Assert.Empty(directory.FilesOf("service"));
        }
    }

    private static void Send(Driven sender, long from, Driven receiver, long to, int type, int length)
    {
        sender.Must($"write {from} {Pattern} {length} {type} timeout=600000");
        Receive(receiver, to, type, length);
    }

    private static void Receive(Driven receiver, long from, int type, int length)
    {
        Answer answer = receiver.Must($"read {from} timeout=600000");
        Assert.Equal((type, length, Numbered.HashOfPattern(Pattern, length)), ((int)answer["type"], (int)answer["length"], (uint)answer["hash"]));
        receiver.Must($"release {from}");
    }
}
