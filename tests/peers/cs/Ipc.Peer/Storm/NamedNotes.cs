using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>What one side of a named connection's storm has done, in a file that outlives its processes.</summary>
internal sealed unsafe class NamedNotes : IDisposable
{
    public const int Tried = 0, Sent = 1, Handled = 2, Acknowledged = 3, Repeated = 4, Wrong = 5, Lost = 6, Flag = 7;
    public const ulong Run = 0, Drain = 1, End = 2;
    public const int Size = 4096;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly ulong* _words;

    public NamedNotes(string path)
    {
        _file = MemoryMappedFile.CreateFromFile(path, FileMode.Open, null, Size);
        _view = _file.CreateViewAccessor(0, Size);
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        _words = (ulong*)(start + _view.PointerOffset);
    }

    public ulong this[int word]
    {
        get => Volatile.Read(ref _words[word]);
        set => Volatile.Write(ref _words[word], value);
    }

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }
}
