using System;
using Ipc.Testing;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>A server takes over the name of a live one: old server, new server and clients of either language.</summary>
public sealed class TakeOverTests(Peers peers)
{
    private const int Connect = 1, Readable = 2, Followed = 4, ShuttingDown = 4;
    private readonly string _name = peers.NewName("following");

    public static TheoryData<Language, Language, Language> Mixtures
    {
        get
        {
            var data = new TheoryData<Language, Language, Language>();
            foreach (Language old in Enum.GetValues<Language>())
            {
                foreach (Language next in Enum.GetValues<Language>())
                {
                    foreach (Language client in Enum.GetValues<Language>())
                        data.Add(old, next, client);
                }
            }
            return data;
        }
    }

    /// <summary>Who is connected stays with the old one, who has asked it and who comes goes to the new one; nothing of either is left.</summary>
    [Theory]
    [MemberData(nameof(Mixtures))]
    public void NewConnectionsGoToTheSuccessorAndOldOnesStay(Language oldIs, Language nextIs, Language client)
    {
        Driven old = peers.At(oldIs, "old"), next = peers.At(nextIs, "next");
        Driven stays = peers.At(client, "stays"), asks = peers.At(client, "asks"), steps = peers.At(client, "steps"), comes = peers.At(client, "comes");
        old.Must($"listen 1 {_name} max=63 follow=1");
        long connection = Accepted(old, stays, "");
        asks.Begin($"connect 1 {_name} timeout=600000");
        steps.Begin($"connect 1 {_name} timeout=600000 steps=1");
        using (var region = new LiveRegion(peers.Directory.FileOf(_name)))
            Watchdog.Until(() => HasAsked(region, 2) && HasAsked(region, 3), "two clients to ask the old server");

        next.Must($"listen 1 {_name} max=63 follow=1");
        Answer told = old.Must("next 1 timeout=600000");
        Assert.Equal((Followed, 1), ((int)told["kind"], (int)told["followed"]));
        Assert.Equal(IpcStatus.Timeout, old.Do("next 1 timeout=1").Status); // told once, and who has asked is sent away

        next.Begin("serve 1 timeout=600000");
        foreach (Driven each in new[] { asks, steps })
        {
            Assert.Equal(IpcStatus.Ok, each.Result().Status);
            each.Must("ping 1 1 50 1000 timeout=600000");
        }
        comes.Must($"connect 1 {_name}"); // it finds a server, and has not to wait for one

        stays.Must("write 1 7 100 1 timeout=600000");
        Assert.Equal(Readable, old.Must("next 1 timeout=600000")["kind"]);
        Assert.Equal(1, old.Must($"read {connection} timeout=600000")["type"]);
        old.Must($"release {connection}");
        old.Must($"return 1 {connection}");
        old.Must("close 1");
        Assert.Equal(ShuttingDown, stays.Must("state 1")["code"]);
        stays.Must("close 1");
        stays.Must($"connect 1 {_name}"); // the old one has not taken the name with it

        stays.Must("close 1");
        asks.Must("close 1");
        steps.Must("close 1");
        comes.Must("write 1 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, next.Result().Status);
        comes.Must("close 1");
        next.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>Who is turned away by one after another asks each of them, and is accepted by the last.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void WhoAsksGoesFromOneToTheNext(Language servers, Language client)
    {
        const int Followers = 3;
        Driven asks = peers.At(client, "asks"), steps = peers.At(client, "steps");
        Driven server = peers.At(servers, "server0");
        server.Must($"listen 1 {_name} max=63 follow=1");
        asks.Begin($"connect 1 {_name} timeout=600000");
        steps.Begin($"connect 1 {_name} timeout=600000 steps=1");
        for (int each = 1; each <= Followers; each++)
        {
            using (var region = new LiveRegion(peers.Directory.FileOf(_name)))
                Watchdog.Until(() => HasAsked(region, 1) && HasAsked(region, 2), $"two clients to ask server {each - 1}");
            Driven next = peers.At(servers, $"server{each}");
            next.Must($"listen 1 {_name} max=63 follow=1");
            Assert.Equal(Followed, (int)server.Must("next 1 timeout=600000")["kind"]);
            server.Must("close 1");
            server = next;
        }

        server.Begin("serve 1 timeout=600000");
        foreach (Driven each in new[] { asks, steps })
        {
            Answer connected = each.Result();
            Assert.True(connected.Status == IpcStatus.Ok, connected.Text);
            each.Must("ping 1 1 50 1000 timeout=600000");
        }
        steps.Must("close 1");
        asks.Must("write 1 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, server.Result().Status);
        asks.Must("close 1");
        server.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>Who does not look whether it is followed keeps the name, and who does not ask for it does not get it.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void BothHaveToBeOpenedForIt(Language oldIs, Language nextIs)
    {
        Driven old = peers.At(oldIs, "old"), next = peers.At(nextIs, "next");
        old.Must($"listen 1 {_name} max=63");
        Answer refused = next.Do($"listen 1 {_name} max=63 follow=1");
        Assert.Equal(IpcStatus.InUse, refused.Status);
        Assert.Contains("would not learn that it is followed", refused.Text, StringComparison.Ordinal);
        old.Must("close 1");
        old.Must($"listen 1 {_name} max=63 follow=1");
        Assert.Equal(IpcStatus.InUse, next.Do($"listen 1 {_name} max=63").Status);
        old.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    /// <summary>A client can write that its server is followed. It is not: the server looks whose the name is.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void WhoHasItsNameIsNotFollowed(Language server)
    {
        Driven old = peers.At(server, "old"), client = peers.At(Matrix.Other(server), "client");
        old.Must($"listen 1 {_name} max=63 follow=1");
        using (var region = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            region[region.Body + Wire.Listener.ServerState] = Wire.Listener.ServerFollowed;
            Assert.Equal(IpcStatus.Timeout, old.Do("next 1 timeout=1").Status);
            Assert.Equal(Wire.Listener.ServerOpen, region[region.Body + Wire.Listener.ServerState]);

            // It sleeps; who finds it closed wakes it.
            region[region.Body + Wire.Listener.ServerState] = Wire.Listener.ServerFollowed;
        }
        long connection = Accepted(old, client, "");
        Assert.True(connection > 0);
        client.Must("close 1");
        old.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }

    private long Accepted(Driven server, Driven client, string options)
    {
        client.Begin($"connect 1 {_name} timeout=600000{options}");
        Answer asked = server.Must("next 1 timeout=600000");
        Assert.Equal(Connect, asked["kind"]);
        long connection = asked["connection"];
        server.Must($"accept {connection}");
        server.Must($"return 1 {connection}");
        Assert.Equal(IpcStatus.Ok, client.Result().Status);
        return connection;
    }

    /// <summary>Its request stands, and it has rung: a server that looks from now on finds it.</summary>
    private static bool HasAsked(LiveRegion region, int slot)
    {
        ulong word = region.U64((long)region.U64(region.Body + Wire.Listener.SlotsOffset) + slot * Wire.Listener.SlotSize);
        ulong ready = region.U64((long)region.U64(region.Body + Wire.Listener.ReadyOffset));
        return (word & 0xFF) == Wire.Listener.Requested && (ready >> slot & 1) != 0;
    }
}
