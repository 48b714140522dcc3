using System;
using System.IO;
using System.Runtime.Versioning;
using System.Security.Cryptography;
using Ipc.Testing.Drive;

namespace Ipc.Testing.Images;

/// <summary>A client made of bytes: it connects as docs/wire-format.md section 5 says, with whatever region it likes.</summary>
/// <remarks>It is this test process that holds the participant's lock: to the server the client is alive until disposed.</remarks>
[SupportedOSPlatform("linux")]
public sealed class FakeClient : IDisposable
{
    private const int Body = Wire.Region.Participants;
    private readonly LiveRegion _listener; // a description of its own: the lock dies with it
    private readonly int _slot;
    private readonly long _slotAt, _readyAt;
    private LiveRegion? _region;

    private FakeClient(LiveRegion listener, int slot)
    {
        _listener = listener;
        _slot = slot;
        _slotAt = (long)listener.U64(listener.Body + Wire.Listener.SlotsOffset) + slot * Wire.Listener.SlotSize;
        _readyAt = (long)listener.U64(listener.Body + Wire.Listener.ReadyOffset) + slot / 64 * 8;
    }

    /// <summary>The connection's region, mapped before the server could unlink it.</summary>
    public LiveRegion Region => _region ?? throw new InvalidOperationException("the connection has no proper region");

    private byte State => (byte)_listener.U64(_slotAt);

    public static FakeClient Connect(RegionDirectory directory, string name, LiveRegion listener, Action<Image> lie) =>
        Connect(directory, name, listener, (image, _) => lie(image), (_, _) => { });

    /// <param name="beforePlacing">Changes the region before it gets its name.</param>
    /// <param name="afterPlacing">Changes the file, given by its path, before the server hears of it.</param>
    public static FakeClient Connect(RegionDirectory directory, string name, LiveRegion listener, Action<Image, string> beforePlacing, Action<Image, string> afterPlacing)
    {
        FakeClient client = TakeSlot(directory, name);
        ulong id = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(8)) >> Wire.Listener.SlotIdShift | 1;
        string connection = $"{name}~{id:x16}", file = directory.FileOf(connection);
        client._listener.U64(client._slotAt, id << Wire.Listener.SlotIdShift | Wire.Listener.Opening);
        Image image = RegionImage.Connection(id, client._slot);
        beforePlacing(image, file);
        directory.Place(connection, image.Bytes);
        client._region = new LiveRegion(file);
        afterPlacing(image, file);
        client._listener.U64(client._slotAt, id << Wire.Listener.SlotIdShift | Wire.Listener.Requested);
        client.RingTheServer();
        return client;
    }

    /// <summary>Ready bit and doorbell.</summary>
    public void RingTheServer()
    {
        _listener.Or(_readyAt, 1UL << (_slot % 64));
        _listener.Signal(_listener.Body + Wire.Listener.Doorbell);
    }

    public void WaitForReply(bool accepted) => Watchdog.Until(
        () => Region[Body + Wire.Connection.Reply] == (accepted ? 1u : 2u), "the server's reply");

    public void WaitUntilIdle() => Watchdog.Until(() => State == Wire.Listener.Idle, "the server to free the slot");

    /// <summary>Waits for the server's decision; whether it refused.</summary>
    public bool WaitUntilAnsweredOrIdle()
    {
        // Attached comes before the look at what the client wants: then the reply decides.
        Watchdog.Until(
            () => State == Wire.Listener.Idle || (State == Wire.Listener.Attached && Region[Body + Wire.Connection.Reply] != 0),
            "the server to refuse or accept");
        return State == Wire.Listener.Idle || Region[Body + Wire.Connection.Reply] != 1;
    }

    public static ulong StartTime()
    {
        string stat = File.ReadAllText("/proc/self/stat");
        return ulong.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[19], System.Globalization.CultureInfo.InvariantCulture);
    }

    /// <summary>Closes in order, so that the server frees the slot, and leaves the table.</summary>
    public void Dispose()
    {
        if (State == Wire.Listener.Attached)
        {
            Region[Body + Wire.Connection.ClientClose] = 1;
            RingTheServer();
            WaitUntilIdle();
        }
        _listener[Wire.Region.Participants + _slot * Wire.Participant.Size] = 0;
        _region?.Dispose();
        _listener.Dispose();
    }

    private static FakeClient TakeSlot(RegionDirectory directory, string name)
    {
        var listener = new LiveRegion(directory.FileOf(name));
        long slots = (long)listener.U64(listener.Body + Wire.Listener.SlotsOffset);
        FakeClient? taken = null;
        Watchdog.Until(() =>
        {
            for (int slot = 1; slot < 64 && taken == null; slot++)
            {
                long entry = Wire.Region.Participants + slot * Wire.Participant.Size;
                if (listener[entry] == 0 && listener.U64(slots + slot * Wire.Listener.SlotSize) == Wire.Listener.Idle &&
                    listener.TryLock(Wire.Region.LockOfParticipant + slot))
                {
                    listener[entry + Wire.Participant.Generation]++;
                    listener[entry + Wire.Participant.Pid] = (uint)Environment.ProcessId;
                    listener[entry + Wire.Participant.Role] = Wire.Participant.RoleClient;
                    listener.U64(entry + Wire.Participant.StartTime, StartTime());
                    listener[entry] = 1;
                    taken = new FakeClient(listener, slot);
                }
            }
            return taken != null;
        }, "a free slot");
        return taken!;
    }
}
