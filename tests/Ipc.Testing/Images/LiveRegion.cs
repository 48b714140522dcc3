using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;

namespace Ipc.Testing.Images;

/// <summary>A region that peers use at this moment, open to an attacker: every byte can be read and written, any lock taken.</summary>
/// <remarks>Linux only, and without either library: the locks and the wake are spelled out here a third time.</remarks>
[SupportedOSPlatform("linux")]
public sealed unsafe class LiveRegion : IDisposable
{
    private const int SetLock = 37, WriteLock = 1, NoLock = 2; // F_OFD_SETLK, F_WRLCK, F_UNLCK
    private const int FutexCall = 202, FutexWait = 0, FutexWake = 1; // x86-64
    private readonly FileStream _file;
    private readonly MemoryMappedFile _mapping;
    private readonly MemoryMappedViewAccessor _view;
    private readonly byte* _bytes;

    public LiveRegion(string path)
    {
        _file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
        Length = _file.Length;
        _mapping = MemoryMappedFile.CreateFromFile(_file, null, Length, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        _view = _mapping.CreateViewAccessor(0, Length);
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref _bytes);
    }

    public long Length { get; }

    public int Body => (int)U64(Wire.Region.BodyOffset);

    public uint this[long offset]
    {
        get => Volatile.Read(ref *(uint*)At(offset, 4));
        set => Volatile.Write(ref *(uint*)At(offset, 4), value);
    }

    public ulong U64(long offset) => Volatile.Read(ref *(ulong*)At(offset, 8));

    public void U64(long offset, ulong value) => Volatile.Write(ref *(ulong*)At(offset, 8), value);

    public void Write(long offset, ReadOnlySpan<byte> bytes) => bytes.CopyTo(new Span<byte>(At(offset, bytes.Length), bytes.Length));

    /// <summary>A picture of the whole region.</summary>
    public byte[] Copy() => new ReadOnlySpan<byte>(_bytes, (int)Length).ToArray();

    public void Or(long offset, ulong bits) => Interlocked.Or(ref *(ulong*)At(offset, 8), bits);

    /// <summary>Takes the lock of a participant, as a live one does. It lasts as long as this object.</summary>
    public bool TryLock(long position) => SetLockTo(WriteLock, position);

    public void Unlock(long position) => SetLockTo(NoLock, position);

    /// <summary>Changes 8 bytes if they are what was expected.</summary>
    public bool Swap(long offset, ulong from, ulong to) => Interlocked.CompareExchange(ref *(ulong*)At(offset, 8), to, from) == from;

    public bool Swap(long offset, uint from, uint to) => Interlocked.CompareExchange(ref *(uint*)At(offset, 4), to, from) == from;

    /// <summary>Sleeps while the word is that, until somebody wakes it; a tenth of a second at most.</summary>
    public void Sleep(long waiter, uint expected)
    {
        long* time = stackalloc long[] { 0, 100_000_000 };
        SystemCall(FutexCall, At(waiter, 4), FutexWait, (int)expected, time, null, 0);
    }

    public void WakeSleepers(long waiter) => SystemCall(FutexCall, At(waiter, 4), FutexWake, int.MaxValue, null, null, 0);

    private bool SetLockTo(short type, long position)
    {
        var wanted = new FileLock { Type = type, Start = position, Length = 1 };
        return Control((int)_file.SafeFileHandle.DangerousGetHandle(), SetLock, ref wanted) == 0;
    }

    /// <summary>Section 3: the flag away, the count up, everybody awake.</summary>
    public void Signal(long waiter)
    {
        uint word = this[waiter];
        Interlocked.CompareExchange(ref *(uint*)At(waiter, 4), (word & ~1u) + 2, word);
        SystemCall(FutexCall, At(waiter, 4), FutexWake, int.MaxValue, null, null, 0);
    }

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _mapping.Dispose();
        _file.Dispose();
    }

    private byte* At(long offset, int length) => offset >= 0 && offset + length <= Length
        ? _bytes + offset
        : throw new ArgumentOutOfRangeException(nameof(offset));

    [StructLayout(LayoutKind.Sequential)]
    private struct FileLock
    {
        public short Type;
        public short Whence;
        public long Start;
        public long Length;
        public int Pid;
    }

    [DllImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static extern int Control(int file, int command, ref FileLock fileLock);

    [DllImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static extern long SystemCall(long number, void* word, int operation, int value, void* timeout, void* word2, int value3);
}
