using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The whole of a region in this process's memory.</summary>
/// <remarks>
/// Unmapping is the dangerous moment of a shared-memory library: a thread that still holds a pointer would read freed memory. So
/// whoever is about to use the memory from a thread that does not own an end takes a reference (<see cref="TryUse"/>), and the
/// memory goes when the owner has disposed and the last reference is returned. An owner that cannot prove that nobody holds a
/// span into it (a thread in the middle of a record) calls <see cref="LeaveToCollector"/> instead of Dispose: the memory then stays until
/// nobody refers to this object any more.
/// </remarks>
internal sealed unsafe class MappedView : IDisposable
{
    private readonly SafeBuffer _memory;
    private int _disposed;
    private CollectorPressure? _pressure;

    public MappedView(RegionFile file, long size)
    {
        try
        {
            using MemoryMappedFile mapping = MemoryMappedFile.CreateFromFile(
                file.Stream, null, size, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
            MemoryMappedViewAccessor accessor = mapping.CreateViewAccessor(0, size, MemoryMappedFileAccess.ReadWrite);
            _memory = accessor.SafeMemoryMappedViewHandle;
            Base = (byte*)_memory.DangerousGetHandle() + accessor.PointerOffset;
        }
        catch (IOException error)
        {
            throw new IpcException(IpcStatus.SystemError, $"The region of {size} bytes could not be mapped: {error.Message}", Marshal.GetLastWin32Error());
        }

        Size = (ulong)size;
    }

    public byte* Base { get; }

    public ulong Size { get; }

    /// <summary>Keeps the memory mapped until <see cref="Unuse"/>; false when it is going or gone.</summary>
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

    public void Unuse() => _memory.DangerousRelease();

    public void Dispose()
    {
        if (Atomic.Exchange(ref _disposed, 1) == 0)
            _memory.Dispose();
    }

    /// <summary>Gives the memory up without unmapping it now.</summary>
    /// <param name="pressure">Bytes that the collector should know of: it sees a small object and would not hurry for it.</param>
    public void LeaveToCollector(long pressure = 0)
    {
        if (Atomic.Exchange(ref _disposed, 1) == 0 && pressure > 0)
            _pressure = new CollectorPressure(pressure);
    }
}
