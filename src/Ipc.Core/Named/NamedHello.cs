using System;
using System.Text;

namespace Ipc;

/// <summary>What a session's client says of itself: the id of its region, 16 bytes, and its name.</summary>
internal static unsafe class NamedHello
{
    private const int IdSize = NamedHeader.IdSize;

    public static byte[] Write(Region region, string client)
    {
        byte[] hello = new byte[IdSize + client.Length];
        IdOf(region, hello);
        Encoding.ASCII.GetBytes(client, 0, client.Length, hello, IdSize);
        return hello;
    }

    /// <summary>Null: it is none.</summary>
    public static string? ClientOf(ReadOnlySpan<byte> hello)
    {
        if (hello.Length <= IdSize)
            return null;
        string client = Encoding.ASCII.GetString(hello.Slice(IdSize).ToArray());
        return RegionName.IsOne(client) ? client : null;
    }

    public static bool IsOf(ReadOnlySpan<byte> hello, Region region)
    {
        byte[] id = new byte[IdSize];
        IdOf(region, id);
        return hello.Length > IdSize && hello.Slice(0, IdSize).SequenceEqual(id);
    }

    public static void IdOf(Region region, byte[] to)
    {
        BitConverter.GetBytes(region.Header->RegionIdLow).CopyTo(to, 0);
        BitConverter.GetBytes(region.Header->RegionIdHigh).CopyTo(to, sizeof(ulong));
    }
}
