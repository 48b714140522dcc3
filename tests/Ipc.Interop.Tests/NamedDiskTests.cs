using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A named connection whose disk is full: a typed error or a wait, nothing of what was sent is lost, and it goes on when there is room.</summary>
public sealed class NamedDiskTests
{
    private const string NoDisk = "a tmpfs cannot be mounted here";
    private const string Waiting = "timeout=600000";
    private const int Long = 200_000;

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void OpeningSaysThatThereIsNoSpaceAndLeavesNothing(Language language)
    {
        using SmallDisk? disk = SmallDisk.TryMount(4096);
        Assert.SkipWhen(disk is null, NoDisk);
        using Driven peer = Driven.Start(language, disk!.Directory);
        disk.Fill();
        Assert.Equal(IpcStatus.NoSpace, peer.Do("open-named 1 exchange trader").Status);
        Assert.Equal(IpcStatus.NoSpace, peer.Do("open-named-listener 2 exchange").Status);
        disk.Drain();
        Assert.Empty(disk.Directory.FilesOf("exchange"));
        peer.Must("open-named 1 exchange trader");
        peer.Must("open-named-listener 2 exchange");
    }

    /// <summary>In both directions: the ring has its memory from the beginning, long messages find none.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhatWasSentArrivesAndTheRestWaitsForRoom(Language asking, Language serving)
    {
        using SmallDisk? disk = SmallDisk.TryMount(4096);
        Assert.SkipWhen(disk is null, NoDisk);
        using Driven server = Driven.Start(serving, disk!.Directory), client = Driven.Start(asking, disk.Directory);
        server.Must("open-named-listener 1 exchange");
        client.Must("open-named 1 exchange trader to_server=65536 to_client=65536 budget=1048576");
        client.Begin($"named-login 1 {Waiting}");
        int connection = (int)server.Must($"named-next 1 {Waiting}")["connection"];
        server.Must($"named-accept {connection}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        server.Must($"named-return 1 {connection}");
        disk.Fill();
        Assert.Equal(0, SendAll(client, 1, Long));
        int sent = SendAll(client, 1, 1000);
        Assert.InRange(sent, 40, 65);
        client.Begin($"named-send 1 {Long} {Waiting}");
        disk.Drain();
        for (int i = 1; i <= sent + 1; i++)
            Assert.Equal(i, Receive(server, connection)["sequence"]);
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        disk.Fill();
        Assert.Equal(0, SendAll(server, connection, Long));
        sent = SendAll(server, connection, 1000);
        Assert.InRange(sent, 40, 65);
        server.Begin($"named-send {connection} {Long} {Waiting}");
        disk.Drain();
        for (int i = 1; i <= sent + 1; i++)
        {
            Assert.Equal(i, client.Must($"named-receive 1 {Waiting}")["sequence"]);
            client.Must("named-acknowledge 1");
        }

        Assert.Equal(IpcStatus.Ok, server.Result().Status);
    }

    private static int SendAll(Driven from, int id, int length)
    {
        for (int sent = 0; ; sent++)
        {
            IpcStatus status = from.Do($"named-send {id} {length} timeout=100").Status;
            if (status == IpcStatus.Ok)
                continue;
            Assert.Equal(IpcStatus.Timeout, status);
            return sent;
        }
    }

    private static Answer Receive(Driven server, int connection)
    {
        Answer answer = server.Do($"named-receive {connection}");
        while (answer.Status != IpcStatus.Ok)
        {
            Assert.Equal(IpcStatus.Timeout, answer.Status);
            server.Must($"named-next 1 {Waiting}");
            answer = server.Do($"named-receive {connection}");
            server.Must($"named-return 1 {connection}");
        }

        server.Must($"named-acknowledge {connection}");
        return answer;
    }
}
