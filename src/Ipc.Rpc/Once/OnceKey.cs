using System;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Ipc.Rpc;

/// <summary>What a call that is executed once is known by: its id, and the user whose program made it.</summary>
internal readonly struct OnceKey : IEquatable<OnceKey>
{
    /// <summary>Of a key with the hash of the request, in a store.</summary>
    public const int StoredSize = RpcOnceId.Size + 8 + HashSize;

    private const int HashSize = 24; // of the 32 of SHA-256
    private const long NoUser = -1;

    private readonly long _user;

    public OnceKey(RpcOnceId id, uint? user)
        : this(id, user ?? NoUser)
    {
    }

    private OnceKey(RpcOnceId id, long user)
    {
        Id = id;
        _user = user;
    }

    public RpcOnceId Id { get; }

    public bool Equals(OnceKey other) => Id == other.Id && _user == other._user;

    public override bool Equals(object? obj) => obj is OnceKey other && Equals(other);

    public override int GetHashCode() => Id.GetHashCode() ^ _user.GetHashCode();

    /// <summary>Key and hash for a store: the same for the same call.</summary>
    /// <param name="method">What is called.</param>
    /// <param name="format">How its messages are written.</param>
    /// <param name="message">The request.</param>
    public byte[] With(RpcMethod method, string format, ReadOnlySpan<byte> message)
    {
        var stored = new byte[StoredSize];
        Id.Write(stored);
        BinaryPrimitives.WriteInt64LittleEndian(stored.AsSpan(RpcOnceId.Size), _user);
        byte[] names = Encoding.UTF8.GetBytes(method.FullName + "\0" + format + "\0");
        byte[] hash = Hash(names, message);
        hash.AsSpan(0, HashSize).CopyTo(stored.AsSpan(RpcOnceId.Size + 8));
        return stored;
    }

    /// <summary>The key of what a store kept, which may be anything.</summary>
    public static bool TryRead(ReadOnlySpan<byte> stored, out OnceKey key)
    {
        key = default;
        if (stored.Length != StoredSize || !RpcOnceId.TryRead(stored.Slice(0, RpcOnceId.Size), out RpcOnceId id))
            return false;
        key = new OnceKey(id, BinaryPrimitives.ReadInt64LittleEndian(stored.Slice(RpcOnceId.Size)));
        return true;
    }

    private static byte[] Hash(byte[] names, ReadOnlySpan<byte> message)
    {
        var all = new byte[names.Length + message.Length];
        names.CopyTo(all, 0);
        message.CopyTo(all.AsSpan(names.Length));
#if NET
        return SHA256.HashData(all);
#else
        using var hash = SHA256.Create();
        return hash.ComputeHash(all);
#endif
    }
}
