using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The whole of a region in this process's memory.</summary>
/// <remarks>
/// Unmapping is the dangerous moment of a shared-memory library: a thread that still holds a pointer would read freed
/// memory. So whoever is about to use the memory from a thread that does not own an end takes a reference
/// (<see cref="TryUse"/>), and the memory goes when the owner has disposed and the last reference is returned. An owner
/// that cannot prove that nobody holds a span into it (a thread in the middle of a record) calls
/// <see cref="LeaveToCollector"/> instead of Dispose: the memory then stays until nobody refers to this object any
/// more.
/// <para>A span refers to nobody, so even then one may be out (<see cref="AddHolder"/>). Its addresses never become
/// invalid: if the owner was dropped without Dispose, the memory stays as it is until the process ends; if it was
/// disposed, empty private memory takes its place, and what the region had is given back.</para>
/// </remarks>
internal sealed unsafe class MappedView : IDisposable
{
    private readonly SafeBuffer _memory;
    private int _disposed;
    private CollectorPressure? _pressure;
    private Func<bool>? _hasSpanOut;

    public MappedView(RegionFile file, long size)
    {
        _memory = Os.Current.Map(file, size, out byte* start);
#pragma warning disable CA1816 // it is ours alone, and unmapped by us or by nobody
        GC.SuppressFinalize(_memory);
#pragma warning restore CA1816
        Base = start;
        Size = (ulong)size;
    }

    ~MappedView()
    {
        if (_memory is null) // it could not be mapped
            return;
        if (_hasSpanOut is null || !_hasSpanOut())
            _memory.Dispose();
        else if (_disposed != 0)
            Os.Current.Vacate(Base, Size);
    }

    public byte* Base { get; }

    public ulong Size { get; }

    /// <summary>Keeps the memory mapped until <see cref="Unuse"/>; false when it is going or gone.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool TryUse()
    {
        if (Atomic.LoadAcquire(ref _disposed) != 0)
            return false;

        bool taken = false;
        try
        {
            _memory.DangerousAddRef(ref taken);
        }
        catch (ObjectDisposedException)
        {
            return false;
        }

        return taken;
    }

    [MethodImpl(Tiering.Optimized)]
    public void Unuse() => _memory.DangerousRelease();

    /// <summary>Somebody hands out spans. Asked when nobody refers to this object any more, on the finalizer's thread:
    /// looks at no shared memory.</summary>
    public void AddHolder(Func<bool> hasSpanOut)
    {
        Func<bool>? others = _hasSpanOut;
        _hasSpanOut = others is null ? hasSpanOut : () => others() || hasSpanOut();
    }

    public void Dispose()
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;
        GC.SuppressFinalize(this);
        _memory.Dispose();
    }

    /// <summary>Gives the memory up without unmapping it now.</summary>
    /// <param name="pressure">Bytes that the collector should know of: it sees a small object and would not hurry for
    /// it.</param>
    public void LeaveToCollector(long pressure = 0)
    {
        if (Atomic.Exchange(ref _disposed, 1) == 0 && pressure > 0)
            _pressure = new CollectorPressure(pressure);
    }
}
