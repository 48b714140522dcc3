namespace Ipc.Rpc.Peer.Interop;

/// <summary>What both ends know of an item that carries nothing else.</summary>
public static class Pattern
{
    /// <summary>Byte i of item n, as the native programs have it.</summary>
    public static byte[] Of(int number, int size)
    {
        var bytes = new byte[size];
        for (int i = 0; i < size; i++)
            bytes[i] = (byte)(number + i);
        return bytes;
    }
}
