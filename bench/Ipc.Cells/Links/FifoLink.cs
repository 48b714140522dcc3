using System;
using System.ComponentModel;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Microsoft.Win32.SafeHandles;

namespace Ipc.Matrix.Cells;

/// <summary>Two named pipes of the file system (FIFOs): what .NET calls a named pipe is a socket on this system.</summary>
internal sealed class FifoLink : StreamLink
{
    private const int Interrupted = 4, WouldBlock = 11;  // EINTR, EAGAIN
    private const int SetFlags = 4, NonBlocking = 0x800; // F_SETFL, O_NONBLOCK
    private const int SetPipeSize = 1031;                // F_SETPIPE_SZ

    private string _to = "", _back = "";
    private Side _side;
    private bool _spins;
    private SafeFileHandle? _out, _in;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        _side = side;
        _spins = wait == WaitMode.Spin;
        _to = Path.Combine(Path.GetTempPath(), $"ipc-cells-{name}-to.fifo");
        _back = Path.Combine(Path.GetTempPath(), $"ipc-cells-{name}-back.fifo");
        if (side == Side.Measuring)
            return;
        foreach (string path in new[] { _to, _back })
        {
            if (MakeFifo(path, 0x180 /* 0600 */) != 0)
                throw new Win32Exception();
        }
    }

    /// <summary>Opening a pipe waits for its other end: in the same order on both sides.</summary>
    public override void Prepare(Work work)
    {
        if (_in is not null)
            return;
        if (_side == Side.Measuring)
        {
            _out = OpenEnd(_to, FileAccess.Write);
            _in = OpenEnd(_back, FileAccess.Read);
        }
        else
        {
            _in = OpenEnd(_to, FileAccess.Read);
            _out = OpenEnd(_back, FileAccess.Write);
        }
    }

    public override void Dispose()
    {
        _out?.Dispose();
        _in?.Dispose();
        if (_side == Side.Answering)
        {
            File.Delete(_to);
            File.Delete(_back);
        }
    }

    protected override unsafe int WriteSome(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* first = bytes)
        {
            for (; ; )
            {
                nint written = Write(_out!, first, bytes.Length);
                if (written > 0)
                    return (int)written;
                Again();
            }
        }
    }

    protected override unsafe int ReadSome(Span<byte> bytes)
    {
        fixed (byte* first = bytes)
        {
            for (; ; )
            {
                nint read = Read(_in!, first, bytes.Length);
                if (read > 0)
                    return (int)read;
                if (read == 0)
                    throw new EndOfStreamException("The other process closed the pipe.");
                Again();
            }
        }
    }

    private static void Again()
    {
        int error = Marshal.GetLastPInvokeError();
        if (error is not (Interrupted or WouldBlock))
            throw new Win32Exception(error);
        Thread.SpinWait(1);
    }

    private SafeFileHandle OpenEnd(string path, FileAccess access)
    {
        SafeFileHandle handle = File.OpenHandle(path, FileMode.Open, access, FileShare.ReadWrite);
        _ = Control(handle, SetPipeSize, Links.Capacity); // as large as the system allows
        if (_spins && Control(handle, SetFlags, NonBlocking | (access == FileAccess.Write ? 1 : 0)) != 0)
            throw new Win32Exception();
        return handle;
    }

    [DllImport("libc", EntryPoint = "mkfifo", SetLastError = true)]
    private static extern int MakeFifo([MarshalAs(UnmanagedType.LPUTF8Str)] string path, uint mode);

    [DllImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static extern int Control(SafeFileHandle file, int command, int value);

    [DllImport("libc", EntryPoint = "write", SetLastError = true)]
    private static extern unsafe nint Write(SafeFileHandle file, byte* bytes, nint length);

    [DllImport("libc", EntryPoint = "read", SetLastError = true)]
    private static extern unsafe nint Read(SafeFileHandle file, byte* bytes, nint length);
}
