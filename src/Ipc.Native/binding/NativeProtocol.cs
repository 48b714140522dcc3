namespace Ipc.Native;

/// <summary>What the records of connections mean: <c>ipc_protocol</c>. Both sides agree on the newest version that they have.</summary>
public readonly record struct NativeProtocol
{
    /// <summary>A protocol in the versions from <paramref name="leastVersion"/> to <paramref name="version"/>.</summary>
    /// <param name="id">1 calls, 2 bytes, from 0x8000 an application's own; 0 says nothing.</param>
    /// <param name="version">The newest, from 1.</param>
    /// <param name="leastVersion">The oldest; 0 is the newest alone.</param>
    public NativeProtocol(ushort id, byte version, byte leastVersion = 0)
    {
        Id = id;
        Version = version;
        LeastVersion = leastVersion;
    }

    /// <summary>1 calls, 2 bytes, from 0x8000 an application's own; 0 says nothing.</summary>
    public ushort Id { get; }

    /// <summary>The newest, from 1.</summary>
    public byte Version { get; }

    /// <summary>The oldest; 0 is the newest alone.</summary>
    public byte LeastVersion { get; }
}
