using System;
using System.Buffers;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Bytes of a message in pooled memory. On the wire a member of this type is <c>bytes</c>, like one of type
/// <c>byte[]</c>.</summary>
/// <remarks>
/// <para>Allocating an array of a megabyte costs more than sending its bytes through shared memory, because the runtime
/// takes pages from the system and gives them back. These bytes come from <see cref="ArrayPool{T}.Shared"/> and return
/// there when the receiver of the message disposes them. If it does not, they are garbage collected: that is as slow as
/// an array, and not an error.</para>
/// <para>All copies of a value share the memory. Disposing one disposes all: they throw from then on, and disposing
/// again has no effect. Spans that were taken before must not be used any more, because the memory may have another
/// owner. Do not dispose while another thread uses the bytes.</para>
/// <para>Sending does not dispose the bytes: they may be sent again.</para>
/// </remarks>
/// <example><code>
/// using PooledBytes photo = store.Photo("apple").Bytes;
/// Show(photo.Span);
/// </code></example>
public readonly struct PooledBytes : IMemoryOwner<byte>, IEquatable<PooledBytes>
{
    private readonly Lease? _lease;

    private PooledBytes(int length)
    {
        _lease = new Lease(ArrayPool<byte>.Shared.Rent(length));
        Length = length;
    }

    /// <summary>The number of bytes, also after they were disposed.</summary>
    public int Length { get; }

    /// <summary>Whether there are no bytes; then there is nothing to dispose.</summary>
    public bool IsEmpty => Length == 0;

    /// <summary>The bytes.</summary>
    /// <exception cref="ObjectDisposedException">They were disposed.</exception>
    public Span<byte> Span => _lease is null ? default : _lease.Array.AsSpan(0, Length);

    /// <summary>The bytes.</summary>
    /// <exception cref="ObjectDisposedException">They were disposed.</exception>
    public Memory<byte> Memory => _lease is null ? default : _lease.Array.AsMemory(0, Length);

    /// <summary>Gets <paramref name="length"/> bytes to fill in. Their contents are undefined.</summary>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    public static PooledBytes Rent(int length)
    {
        if (length < 0)
            throw new ArgumentOutOfRangeException(nameof(length), length, "A number of bytes is not negative.");
        return length == 0 ? default : new PooledBytes(length);
    }

    /// <summary>A copy of <paramref name="bytes"/>.</summary>
    public static PooledBytes CopyOf(ReadOnlySpan<byte> bytes)
    {
        PooledBytes copy = Rent(bytes.Length);
        bytes.CopyTo(copy.Span);
        return copy;
    }

    /// <summary>Returns the memory to the pool. It may be called more than once.</summary>
    public void Dispose() => _lease?.End();

    /// <inheritdoc/>
    public bool Equals(PooledBytes other) => ReferenceEquals(_lease, other._lease);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PooledBytes other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _lease?.GetHashCode() ?? 0;

    /// <summary>The same memory.</summary>
    public static bool operator ==(PooledBytes left, PooledBytes right) => left.Equals(right);

    /// <summary>Other memory, whatever is in it.</summary>
    public static bool operator !=(PooledBytes left, PooledBytes right) => !left.Equals(right);

    /// <summary>What all copies share, so that an array goes back once; not used again itself, so that a late copy
    /// cannot reach another one's.</summary>
    private sealed class Lease
    {
        private byte[]? _array; // [once]

        public Lease(byte[] array) => _array = array;

        public byte[] Array => Volatile.Read(ref _array) ?? throw new ObjectDisposedException(nameof(PooledBytes));

        public void End()
        {
            if (Interlocked.Exchange(ref _array, null) is { } array)
                ArrayPool<byte>.Shared.Return(array);
        }
    }
}
