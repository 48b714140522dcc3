using System;

namespace Ipc;

/// <summary>What the records of connections mean, and in which versions. A listener says what its connections speak,
/// and a client what it speaks: they agree on the newest version that both have, and a client that has none does not
/// get a connection. Who says nothing (<see langword="default"/>) is taken at its word by everybody.</summary>
/// <remarks>A listener says so before anybody connects, and a client chooses: so the two agree without a round trip,
/// and who does not fit is told before a record was sent. docs/wire-format.md sections 5 and 6.</remarks>
public readonly struct ConnectionProtocol : IEquatable<ConnectionProtocol>
{
    /// <summary>The <see cref="Id"/> of Ipc's calls, docs/rpc-protocol.md.</summary>
    public const int Calls = 1;

    /// <summary>The <see cref="Id"/> of streams of bytes, docs/pipe-protocol.md.</summary>
    public const int Bytes = 2;

    /// <summary>The <see cref="Id"/> of named connections, docs/wire-format/named.md.</summary>
    public const int Named = 3;

    private const int LeastShift = 8, IdShift = 16;

    // {version : 8, least version : 8, id : 16}, as it stands in shared memory
    private readonly uint _word;

    /// <summary>A protocol in the versions from <paramref name="leastVersion"/> to
    /// <paramref name="version"/>.</summary>
    /// <param name="id">1 to 65,535; an application's own is 0x8000 or more.</param>
    /// <param name="version">The newest, 1 to 255.</param>
    /// <param name="leastVersion">The oldest; 0 is the newest alone.</param>
    /// <exception cref="ArgumentOutOfRangeException">One of them is not possible.</exception>
    public ConnectionProtocol(int id, int version, int leastVersion = 0)
    {
        if (id is < 1 or > ushort.MaxValue)
            throw new ArgumentOutOfRangeException(nameof(id), id, "A protocol's id is 1 to 65535.");
        if (version is < 1 or > byte.MaxValue)
            throw new ArgumentOutOfRangeException(nameof(version), version, "A version is 1 to 255.");
        if (leastVersion < 0 || leastVersion > version)
            throw new ArgumentOutOfRangeException(
                nameof(leastVersion), leastVersion, $"The oldest version is 1 to the newest, {version}.");
        _word = (uint)(id << IdShift | (leastVersion == 0 ? version : leastVersion) << LeastShift | version);
    }

    private ConnectionProtocol(uint word) => _word = word;

    /// <summary><see cref="Calls"/>, <see cref="Bytes"/>, or an application's own; 0 says nothing.</summary>
    public int Id => (int)(_word >> IdShift);

    /// <summary>The newest version.</summary>
    public int Version => (int)(_word & 0xFF);

    /// <summary>The oldest version.</summary>
    public int LeastVersion => (int)(_word >> LeastShift & 0xFF);

    /// <summary>Whether both are the same.</summary>
    public static bool operator ==(ConnectionProtocol left, ConnectionProtocol right) => left.Equals(right);

    /// <summary>Whether they differ.</summary>
    public static bool operator !=(ConnectionProtocol left, ConnectionProtocol right) => !left.Equals(right);

    internal uint Word => _word;

    internal static ConnectionProtocol Of(uint word) => new(word);

    /// <summary>Of who speaks exactly this version of it.</summary>
    internal ConnectionProtocol Exactly(int version) =>
        Id == 0 ? default : new((uint)(Id << IdShift | version << LeastShift | version));

    /// <summary>Ok: <paramref name="version"/> is the newest that both have; the oldest of ours when the other side
    /// says nothing, 0 when we do not. WrongKind: another protocol. WrongVersion: no version in common.</summary>
    internal IpcStatus Agree(ConnectionProtocol theirs, out int version)
    {
        version = 0;
        if (Id == 0)
            return IpcStatus.Ok;
        if (theirs.Id == 0)
        {
            version = LeastVersion;
            return IpcStatus.Ok;
        }

        if (Id != theirs.Id)
            return IpcStatus.WrongKind;
        int newest = Math.Min(Version, theirs.Version), oldest = Math.Max(LeastVersion, theirs.LeastVersion);
        if (newest < oldest || newest == 0)
            return IpcStatus.WrongVersion;
        version = newest;
        return IpcStatus.Ok;
    }

    /// <inheritdoc/>
    public bool Equals(ConnectionProtocol other) => _word == other._word;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ConnectionProtocol other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => (int)_word;

    /// <summary><c>calls (protocol 1), version 1</c>; <c>nothing</c>.</summary>
    public override string ToString()
    {
        if (Id == 0)
            return "nothing";
        string name = Id switch { Calls => "calls ", Bytes => "bytes ", Named => "named connections ", _ => "" };
        return LeastVersion == Version
            ? $"{name}(protocol {Id}), version {Version}"
            : $"{name}(protocol {Id}), versions {LeastVersion} to {Version}";
    }
}
