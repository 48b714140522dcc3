using System;
using System.Buffers;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Bytes of a message in memory that is used again: a member of this type travels as <c>bytes</c>, like one of
/// type <c>byte[]</c>.</summary>
/// <remarks>
/// <para>A new array of a megabyte costs more than the way of its bytes through shared memory: the runtime takes pages
/// from the system and gives them back. These come from <see cref="ArrayPool{T}.Shared"/>, and go back there when
/// whoever received the message disposes them. One that forgets to, or never does, leaves them to the collector: that
/// is as slow as an array and no mistake.</para>
/// <para>All copies of a value are the same memory. Disposing any of them ends all: they throw from then on, and
/// disposing again does nothing. A span that was taken before must not be used any more: its memory is somebody else's
/// by then. Not while another thread uses it.</para>
/// <para>Nobody disposes what is sent: it may be sent again.</para>
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

    /// <summary>How many there are; also after they were disposed.</summary>
    public int Length { get; }

    /// <summary>There are none: nothing to dispose either.</summary>
    public bool IsEmpty => Length == 0;

    /// <summary>The bytes.</summary>
    /// <exception cref="ObjectDisposedException">They were disposed.</exception>
    public Span<byte> Span => _lease is null ? default : _lease.Array.AsSpan(0, Length);

    /// <summary>The bytes.</summary>
    /// <exception cref="ObjectDisposedException">They were disposed.</exception>
    public Memory<byte> Memory => _lease is null ? default : _lease.Array.AsMemory(0, Length);

    /// <summary>So many bytes, to be filled in: they hold what somebody left there.</summary>
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

    /// <summary>Gives the memory back. Any number of times.</summary>
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
