using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// Clients and servers that follow the protocol only as far as it suits them. The test plays them byte by byte, without
/// either library; the victim is a real process that has other connections, and these go on.
/// </summary>
public sealed class HostileConnectionTests(Peers peers)
{
    private const int Body = 1024, ToServer = Body + 1024, ToClient = ToServer + 1024, Total = 4096 + 8192;
    private readonly string _name = peers.NewName("target");

    /// <summary>Every field of the connection region, at values that lie.</summary>
    private static readonly (int Offset, int Width, ulong[] Values)[] _fields =
    [
        (0, 8, [0, 1, ulong.MaxValue]), (8, 2, [0, 2, 0xFFFF]), (12, 4, [0, 1, 2, 4, uint.MaxValue]),
        (16, 8, [0, 4096, Total - 1, Total + 1, 1UL << 40, ulong.MaxValue]), (24, 4, [0, 1, uint.MaxValue]), (28, 4, [1, 64, 4096, uint.MaxValue]),
        (32, 8, [0, 1, 2048, 1UL << 40, ulong.MaxValue]), (40, 8, [0, 1, 1UL << 40, ulong.MaxValue]), (128, 4, [0, 2, 3, uint.MaxValue]),
        (Body, 4, [0, uint.MaxValue]), (Body + 4, 4, [0, 1, 63, 64, uint.MaxValue]),
        (Body + 8, 8, [0, 1, 64, ToClient, Total - 64, Total, 1UL << 40, ulong.MaxValue - 127, ulong.MaxValue]),
        (Body + 16, 8, [0, 1, 64, ToServer, Total - 64, Total, 1UL << 40, ulong.MaxValue - 127, ulong.MaxValue]),
        (Body + 24, 8, [0, 1, ulong.MaxValue]), (Body + 128, 4, [1, 2, 3, uint.MaxValue]), (Body + 132, 4, [1, 3, uint.MaxValue]),
        (Body + 136, 4, [241, uint.MaxValue]), (Body + 512, 4, [1, 3, 99, uint.MaxValue]), (Body + 516, 4, [241, 4096, uint.MaxValue]),
        (Body + 768, 4, [1, uint.MaxValue]),
        (ToServer, 4, [0, uint.MaxValue]), (ToServer + 8, 8, [0, 1, 2048, 6144, 8192, 1 << 20, 1UL << 30, 1UL << 63, ulong.MaxValue]),
        (ToServer + 16, 8, [0, 1, 64, 2048, 8192, Total, 1UL << 40, ulong.MaxValue - 4095]),
        (ToServer + 32, 8, [1, 64, 4095, 8192, 1UL << 63, ulong.MaxValue]), (ToClient + 32, 8, [1, 64, 4095, 8192, 1UL << 63, ulong.MaxValue]),
        (ToServer + 256, 8, [1, 64, 4096, 1UL << 63, ulong.MaxValue]), (ToServer + 384, 8, [1, 64, 4096, 1UL << 63, ulong.MaxValue]),
        (ToServer + 512, 4, [1, uint.MaxValue]), (ToServer + 516, 4, [1, uint.MaxValue]), (ToServer + 648, 4, [1, uint.MaxValue]),
        (ToClient, 4, [0, uint.MaxValue]), (ToClient + 8, 8, [0, 1, 2048, 6144, 8192, 1UL << 63, ulong.MaxValue]),
        (ToClient + 16, 8, [0, 1, 64, 2048, 4096, Total, ulong.MaxValue - 4095]),
        (ToClient + 256, 8, [1, 64, 4096, 1UL << 63, ulong.MaxValue]), (ToClient + 384, 8, [1, 64, 4096, 1UL << 63, ulong.MaxValue]),
        (4096, 8, [1, 0x8001_0000_0000_0008, 0x8000_0000_FFFF_FFFF, 0xC000_0000_0000_0008, ulong.MaxValue]),
    ];

    /// <summary>The fields above that say what and where things are: with one of them wrong the connection is not accepted.</summary>
    private static readonly HashSet<int> _structure =
    [
        0, 8, 12, 16, 24, 28, 32, 40, 128, Body, Body + 4, Body + 8, Body + 16, Body + 24, Body + 516,
        ToServer, ToServer + 8, ToServer + 16, ToServer + 32, ToClient, ToClient + 8, ToClient + 16, ToClient + 32,
    ];

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AServerSurvivesEveryLyingConnectionRegion(Language server, Language bystander)
    {
        Driven service = peers.At(server, "victim"), other = peers.At(bystander, "client");
        service.Must($"listen 1 {_name} max=63");
        service.Begin("serve 1 timeout=600000");
        other.Must($"connect 2 {_name} timeout=600000");
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            foreach ((int offset, int width, ulong[] values) in _fields)
            {
                foreach (ulong value in values)
                {
                    bool refused = Attack(listener, (image, _) => image.Write(offset, width, value));
                    Assert.False(service.HasExited, $"offset {offset} = 0x{value:X} ended the server");
                    Assert.True(refused || !_structure.Contains(offset), $"offset {offset} = 0x{value:X} was accepted");
                }
            }
            for (int seed = 0; seed < (Switches.LongRuns ? 500 : 20); seed++)
            {
                Attack(listener, (image, _) =>
                {
                    var random = new Random(seed);
                    for (int i = 0; i < 6; i++)
                        image.Bytes[random.Next(4096 + 64)] ^= (byte)(1 << random.Next(8));
                });
            }
        }
        other.Must("ping 2 2 20 500 timeout=600000"); // the bystander has not noticed
        Finish(service, other);
    }

    /// <summary>A request whose file is missing, is something else, or is too short.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AServerSurvivesARequestWithoutAProperFile(Language server)
    {
        Driven service = peers.At(server, "victim"), other = peers.At(Matrix.Other(server), "client");
        service.Must($"listen 1 {_name} max=63");
        service.Begin("serve 1 timeout=600000");
        other.Must($"connect 2 {_name} timeout=600000");
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            Attack(listener, (_, file) => File.Delete(file), afterPlacing: true);
            Attack(listener, (_, file) => File.WriteAllBytes(file, []), afterPlacing: true);
            Attack(listener, (_, file) => File.WriteAllBytes(file, new byte[100]), afterPlacing: true);
            Attack(listener, (_, file) => File.WriteAllBytes(file, new byte[8192]), afterPlacing: true);
            Attack(listener, (_, file) =>
            {
                File.Delete(file);
                Directory.CreateDirectory(file);
            }, afterPlacing: true);
            foreach (string left in peers.Directory.FilesOf(_name)) // no server removes a directory
            {
                if (Directory.Exists(peers.Directory.FileOf(left)))
                    Directory.Delete(peers.Directory.FileOf(left));
            }
            Attack(listener, (_, file) =>
            {
                File.Delete(file);
                File.CreateSymbolicLink(file, "/etc/passwd");
            }, afterPlacing: true);
        }
        other.Must("ping 2 2 20 500 timeout=600000");
        Finish(service, other);
    }

    /// <summary>The listener's own words, turned while it serves: slots, ready bits, doorbell, header.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AServerSurvivesAScribbledListener(Language server)
    {
        Driven service = peers.At(server, "victim");
        service.Must($"listen 1 {_name} max=63");
        service.Begin("serve 1 timeout=1500"); // ends by its deadline: whether clients still reach it is not promised here
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            long body = listener.Body, slots = (long)listener.U64(body + Wire.Listener.SlotsOffset), ready = (long)listener.U64(body + Wire.Listener.ReadyOffset);
            foreach (ulong value in new ulong[] { 0, 1, 3, uint.MaxValue, ulong.MaxValue })
            {
                foreach (long offset in new[] { body, body + 4, body + 128, body + 256, body + 260, slots, slots + 128, slots + 128 * 63, 1024L, 1152L, 128L, 28L })
                {
                    listener[offset] = (uint)value;
                    Ring(listener, body, ready, ulong.MaxValue);
                }
                foreach (long offset in new[] { body + 8, body + 16, body + 24, slots, slots + 128, 16L, 32L, 40L })
                {
                    listener.U64(offset, value);
                    Ring(listener, body, ready, ulong.MaxValue);
                }
            }
        }
        Answer served = service.Result();
        Assert.True(served.Status is IpcStatus.Timeout || served.Status < 0, $"{served}");
        service.Must("close 1");
        foreach (string left in peers.Directory.FilesOf(_name))
            File.Delete(peers.Directory.FileOf(left));
    }

    /// <summary>Record headers in the ring to the server: the connection ends with Corrupt, the others go on.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void AConnectionWithABadRecordEndsAndTheOthersGoOn(Language server, Language bystander)
    {
        Driven service = peers.At(server, "victim"), other = peers.At(bystander, "client");
        service.Must($"listen 1 {_name} max=63");
        service.Begin("serve 1 timeout=600000");
        other.Must($"connect 2 {_name} timeout=600000");
        using (var listener = new LiveRegion(peers.Directory.FileOf(_name)))
        {
            foreach (ulong header in new ulong[] { 1, 0x8001_0000_0000_0008, 0x8000_0000_0000_07F9, 0x8000_0000_FFFF_FFFF, 0xC000_0000_0000_0008, ulong.MaxValue })
            {
                using FakeClient client = FakeClient.Connect(peers.Directory, _name, listener, image => { });
                client.WaitForReply(accepted: true);
                client.Region.U64(4096, header);
                client.RingTheServer();
                Watchdog.Until(() => client.Region[Body + Wire.Connection.ServerClose] != 0, "the server to close the corrupt connection");
                Assert.Equal(3u, client.Region[Body + Wire.Connection.ServerClose]); // corrupt
                client.WaitUntilIdle();
            }
        }
        other.Must("ping 2 2 20 500 timeout=600000");
        Finish(service, other);
    }

    /// <summary>A server that answers with lies: the client ends the wait with a typed error, or works, or times out.</summary>
    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void AClientSurvivesALyingServer(Language client)
    {
        Driven victim = peers.At(client, "victim");
        Image listenerImage = RegionImage.Listener();
        (int Offset, uint Value)[] lies =
        [
            (Body + 128, 3), (Body + 128, uint.MaxValue), (Body + 136, 241), (Body + 136, uint.MaxValue), (Body + 132, 99), (Body + 132, uint.MaxValue),
            (Body, 0), (Body + 8, uint.MaxValue), (Body + 16, 0), (ToClient + 8, 0), (ToClient + 16, uint.MaxValue), (ToClient + 256, 77), (ToServer + 384, uint.MaxValue),
            (ToServer + 8, 1), (ToServer + 512, uint.MaxValue), (ToClient + 640, uint.MaxValue),
        ];
        foreach ((int offset, uint value) in lies)
        {
            foreach (uint reply in new uint[] { 1, 2, 0 })
            {
                string name = peers.NewName("liar");
                peers.Directory.Place(name, listenerImage.Bytes);
                using var listener = new LiveRegion(peers.Directory.FileOf(name));
                listener[Wire.Region.Participants + Wire.Participant.Pid] = (uint)Environment.ProcessId;
                listener.U64(Wire.Region.Participants + Wire.Participant.StartTime, FakeClient.StartTime());
                Assert.True(listener.TryLock(Wire.Region.LockOfParticipant));
                victim.Begin($"connect 1 {name} to_server=4096 to_client=4096 timeout=150");
                if (FindRequest(listener, victim) is { } id)
                {
                    string file = peers.Directory.FileOf($"{name}~{id:x16}");
                    using var connection = new LiveRegion(file);
                    connection[offset] = value;
                    if (reply != 0)
                        connection[Body + Wire.Connection.Reply] = reply;
                    connection.Signal(Body + Wire.Connection.Session);
                }
                if (victim.Result().Status == IpcStatus.Ok)
                {
                    victim.Do("write 1 1 1000 1");
                    victim.Do("read 1");
                    victim.Do("read 1 timeout=2");
                    victim.Do("state 1");
                }
                victim.Must("close 1");
                foreach (string left in peers.Directory.FilesOf(name))
                    File.Delete(peers.Directory.FileOf(left));
            }
        }
    }

    private static ulong? FindRequest(LiveRegion listener, Driven victim)
    {
        long slots = (long)listener.U64(listener.Body + Wire.Listener.SlotsOffset);
        ulong? found = null;
        Watchdog.Until(() =>
        {
            for (int slot = 1; slot < 64 && found == null; slot++)
            {
                ulong word = listener.U64(slots + slot * Wire.Listener.SlotSize);
                if ((byte)word == Wire.Listener.Requested)
                    found = word >> Wire.Listener.SlotIdShift;
            }
            return found != null || victim.HasAnswered;
        }, "the client to ask or to give up");
        return found;
    }

    /// <summary>Whether the server refused it.</summary>
    private bool Attack(LiveRegion listener, Action<Image, string> lie, bool afterPlacing = false)
    {
        using FakeClient client = FakeClient.Connect(peers.Directory, _name, listener, (image, file) =>
        {
            if (!afterPlacing)
                lie(image, file);
        }, (image, file) =>
        {
            if (afterPlacing)
                lie(image, file);
        });
        bool refused = client.WaitUntilAnsweredOrIdle();
        client.RingTheServer();
        return refused;
    }

    private static void Ring(LiveRegion listener, long body, long ready, ulong bits)
    {
        listener.Or(ready, bits);
        listener.Signal(body + Wire.Listener.Doorbell);
    }

    private void Finish(Driven service, Driven other)
    {
        other.Must("write 2 1 8 65535 timeout=600000");
        Assert.Equal(IpcStatus.Ok, service.Result().Status);
        other.Must("close 2");
        service.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(_name));
    }
}
