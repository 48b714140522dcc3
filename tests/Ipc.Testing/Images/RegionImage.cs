using System;
using System.Buffers.Binary;

namespace Ipc.Testing.Images;

/// <summary>Builds whole regions after docs/wire-format.md, without either library: what golden files and attackers are made of.</summary>
/// <remarks>Everything is fixed, ids, times and pids included: the same call gives the same bytes for ever.</remarks>
public static partial class RegionImage
{
    /// <summary>Larger than any pid can be on Linux, so that it names nobody.</summary>
    public const uint NobodysPid = 0x7FFFFFF0;
    public const ulong CreatedAt = 1_700_000_000_000_000_000;

    /// <summary>An empty ring that nobody is attached to.</summary>
    public static RingImage Ring(int capacity = 4096, int participants = 8, bool persistent = true)
    {
        int body = Image.Align(Wire.Region.Participants + Wire.Participant.Size * participants, 128);
        int data = Image.Align(body + Wire.Ring.Size, Wire.Page);
        Image image = Header(Wire.Region.KindRing, participants, body, data + capacity - body, data + capacity, persistent);
        WriteRing(image, body, capacity, data);
        return new RingImage(image.Bytes, body);
    }

    /// <summary>A listener as its server's death left it: entry 0 still says live.</summary>
    public static Image Listener(int slots = 64)
    {
        int body = Image.Align(Wire.Region.Participants + Wire.Participant.Size * slots, 128);
        int slotsAt = body + Wire.Listener.Size, readyAt = slotsAt + slots * Wire.Listener.SlotSize;
        int end = readyAt + Image.Align(slots / 64 * 8, 128);
        Image image = Header(Wire.Region.KindListener, slots, body, end - body, Image.Align(end, Wire.Page), persistent: false);
        image[body + Wire.Listener.Magic] = Wire.Listener.MagicValue;
        image[body + Wire.Listener.SlotCount] = (uint)slots;
        image.U64(body + Wire.Listener.SlotsOffset, (ulong)slotsAt);
        image.U64(body + Wire.Listener.ReadyOffset, (ulong)readyAt);
        image.U64(body + Wire.Listener.MaxRingCapacity, 1 << 20);
        image[body + Wire.Listener.ServerState] = Wire.Listener.ServerOpen;
        AddParticipant(image, 0, Wire.Participant.RoleServer);
        return image;
    }

    /// <summary>The connection with this id that the client in this slot would make.</summary>
    public static Image Connection(ulong id, int slot, int toServer = 4096, int toClient = 4096, string hello = "hello")
    {
        const int Body = Wire.Region.Participants;
        int first = Image.Align(Body + Wire.Connection.Rings + 2 * Wire.Ring.Size, Wire.Page), second = first + toServer;
        int total = second + toClient;
        Image image = Header(Wire.Region.KindConnection, 0, Body, total - Body, total, persistent: false);
        image[Body + Wire.Connection.Magic] = Wire.Connection.MagicValue;
        image[Body + Wire.Connection.Slot] = (uint)slot;
        image.U64(Body + Wire.Connection.ToServer, Body + Wire.Connection.Rings);
        image.U64(Body + Wire.Connection.ToClient, Body + Wire.Connection.Rings + Wire.Ring.Size);
        image.U64(Body + Wire.Connection.Id, id);
        image[Body + Wire.Connection.HelloLength] = (uint)hello.Length;
        image.Text(Body + Wire.Connection.Hello, hello);
        WriteRing(image, Body + Wire.Connection.Rings, toServer, first);
        WriteRing(image, Body + Wire.Connection.Rings + Wire.Ring.Size, toClient, second);
        return image;
    }

    /// <summary>A named connection whose client, participant 0, has not been cleaned up after, and which no server is attached to any more.</summary>
    public static Image Named(string server, string client, string identity, string login, string reply, int toServer = 4096, int toClient = 4096)
    {
        int body = Image.Align(Wire.Region.Participants + Wire.Participant.Size * Wire.Named.Participants, 128);
        int rings = body + Wire.Named.Rings, first = Image.Align(rings + 2 * Wire.Ring.Size, Wire.Page), second = first + toServer;
        int total = second + toClient;
        Image image = Header(Wire.Region.KindNamed, Wire.Named.Participants, body, total - body, total, persistent: true);
        image[body + Wire.Named.Magic] = Wire.Named.MagicValue;
        image.U64(body + Wire.Named.ToServer, (ulong)rings);
        image.U64(body + Wire.Named.ToClient, (ulong)(rings + Wire.Ring.Size));
        WriteText(image, body + Wire.Named.ServerLength, body + Wire.Named.Server, server);
        WriteText(image, body + Wire.Named.ClientLength, body + Wire.Named.Client, client);
        WriteText(image, body + Wire.Named.IdentityLength, body + Wire.Named.Identity, identity);
        WriteText(image, body + Wire.Named.ReplyLength, body + Wire.Named.Reply, reply);
        WriteText(image, body + Wire.Named.LoginLength, body + Wire.Named.Login, login);
        AddParticipant(image, 0, Wire.Participant.RoleClient);
        AddParticipant(image, 1, Wire.Participant.RoleServer, runtime: 2);
        int left = Wire.Region.Participants + Wire.Participant.Size;
        image[left + Wire.Participant.State] = 0;
        image[left + Wire.Participant.Ended] = 1;
        WriteRing(image, rings, toServer, first);
        WriteRing(image, rings + Wire.Ring.Size, toClient, second);
        image[rings + Wire.Ring.Writer] = 1;
        image[rings + Wire.Ring.WriterState] = Wire.Ring.Live;
        image[rings + Wire.Ring.ReaderState] = Wire.Ring.Left;
        image[rings + Wire.Ring.Size + Wire.Ring.WriterState] = Wire.Ring.Left;
        image[rings + Wire.Ring.Size + Wire.Ring.Reader] = 1;
        image[rings + Wire.Ring.Size + Wire.Ring.ReaderState] = Wire.Ring.Live;
        return image;
    }

    /// <summary>A message of a named connection: its sequence, then its content, which the peers know by the same number.</summary>
    public static byte[] NamedMessage(ulong sequence, int length)
    {
        byte[] message = new byte[8 + length];
        BinaryPrimitives.WriteUInt64LittleEndian(message, sequence);
        for (int i = 8; i < length; i++)
            message[8 + i] = (byte)(sequence + (ulong)i);
        BinaryPrimitives.WriteUInt64LittleEndian(message.AsSpan(8), sequence);
        return message;
    }

    public static void AddParticipant(Image image, int index, uint role, uint runtime = 1)
    {
        int entry = Wire.Region.Participants + index * Wire.Participant.Size;
        image[entry + Wire.Participant.State] = 1;
        image[entry + Wire.Participant.Generation] = 1;
        image[entry + Wire.Participant.Pid] = NobodysPid;
        image[entry + Wire.Participant.Role] = role;
        image.U64(entry + Wire.Participant.StartTime, 123_456);
        image.U64(entry + Wire.Participant.Attached, CreatedAt + 1);
        image[entry + Wire.Participant.Runtime] = runtime;
    }

    private static Image Header(uint kind, int participants, int body, int bodySize, int total, bool persistent)
    {
        var image = new Image(new byte[total]);
        image.U64(Wire.Region.Magic, Wire.Region.MagicValue);
        image.U16(Wire.Region.Major, 1);
        image[Wire.Region.Kind] = kind;
        image.U64(Wire.Region.TotalSize, (ulong)total);
        image[Wire.Region.ParticipantOffset] = Wire.Region.Participants;
        image[Wire.Region.ParticipantCapacity] = (uint)participants;
        image.U64(Wire.Region.BodyOffset, (ulong)body);
        image.U64(Wire.Region.BodySize, (ulong)bodySize);
        for (int i = 0; i < 16; i++)
            image.Bytes[Wire.Region.Id + i] = (byte)(0xA0 + i);
        image.U64(Wire.Region.Created, CreatedAt);
        image[Wire.Region.CreatorPid] = NobodysPid;
        image[Wire.Region.Lifetime] = persistent ? Wire.Region.Persistent : Wire.Region.WhileUsed;
        image[Wire.Region.State] = Wire.Region.StateLive;
        return image;
    }

    private static void WriteText(Image image, int length, int at, string text)
    {
        image[length] = (uint)text.Length;
        image.Text(at, text);
    }

    private static void WriteRing(Image image, int ring, int capacity, int data)
    {
        image[ring + Wire.Ring.Magic] = Wire.Ring.MagicValue;
        image.U64(ring + Wire.Ring.Capacity, (ulong)capacity);
        image.U64(ring + Wire.Ring.DataOffset, (ulong)data);
    }
}
