using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>What the workers of a storm note in memory that outlives them. What it means stands in tests/peers/c/storm_side.h.</summary>
internal sealed unsafe class StormSide
{
    public const int PerSender = 1 << 18;

    /// <summary>Of a lock's worker: what it is acquiring.</summary>
    public const uint Mutex = 1, Permit = 2;

    private const int GuardedAt = 128;
    private const int Records = 4096, Record = 64;
    private const int Tried = 0, Done = 8, Received = 16, Redelivered = 24, Lost = 32, Repeated = 40, Attached = 48, Dead = 52, Acquiring = 56;
    private readonly byte* _base;
    private readonly uint _id;

    public StormSide(string path, uint id)
    {
        _id = id;
        // Stays mapped until the process is gone, as the descriptor of the storm that started us does.
        var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        var mapping = MemoryMappedFile.CreateFromFile(file, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: false);
        MemoryMappedViewAccessor view = mapping.CreateViewAccessor();
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref _base);
        Workers = *(uint*)(_base + 4);
    }

    public uint Workers { get; }

    public bool Finish => Volatile.Read(ref *(uint*)_base) != 0;

    /// <summary>A lock's receivers end, too.</summary>
    public bool Over => Volatile.Read(ref *(uint*)_base) == 2;

    public StormGuarded* Guarded => (StormGuarded*)(_base + GuardedAt);

    public void NoteAcquiring(uint what) => Interlocked.Exchange(ref *(uint*)Word(_id, Acquiring), what);

    public void AddDone() => Interlocked.Increment(ref *Word(_id, Done));

    public void AddToldMutex() => Interlocked.Increment(ref *Word(_id, Redelivered));

    public void AddToldPermit() => Interlocked.Increment(ref *Word(_id, Repeated));

    public bool IsDead(uint worker) => Volatile.Read(ref *(uint*)Word(worker, Dead)) != 0;

    public void NoteTried(ulong count) => Volatile.Write(ref *Word(_id, Tried), count);

    public void NoteDone(ulong count) => Volatile.Write(ref *Word(_id, Done), count);

    public void NoteLost(ulong count) => Volatile.Write(ref *Word(_id, Lost), count);

    public void NoteAttached() => Volatile.Write(ref *(uint*)Word(_id, Attached), 1u);

    public void AddReceived() => Interlocked.Increment(ref *Word(_id, Received));

    public void AddRedelivered() => Interlocked.Increment(ref *Word(_id, Redelivered));

    public void AddRepeated() => Interlocked.Increment(ref *Word(_id, Repeated));

    public ulong TriedBy(uint sender) => Volatile.Read(ref *Word(sender, Tried));

    public ulong DoneBy(uint sender) => Volatile.Read(ref *Word(sender, Done));

    /// <summary>Counts a delivery of this number. What its byte was before.</summary>
    public byte AddSeen(ulong n, byte by)
    {
        long offset = Records + (long)Workers * Record + (long)(n >> 32) * PerSender + (uint)n;
        ref uint word = ref *(uint*)(_base + (offset & ~3));
        int shift = (int)(offset & 3) * 8; // no byte comes near its limit
        uint after = Interlocked.Add(ref word, (uint)by << shift);
        return (byte)((byte)(after >> shift) - by);
    }

    private ulong* Word(uint id, int field) => (ulong*)(_base + Records + (long)id * Record + field);
}
