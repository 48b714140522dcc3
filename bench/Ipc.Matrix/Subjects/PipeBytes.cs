using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Ipc.Matrix;

/// <summary>Two named pipes of the file system (FIFOs): what .NET calls a named pipe is a socket on this system.</summary>
internal sealed class PipeBytes : IByteChannel
{
    private string _to = "", _back = "";
    private Side _side;
    private FileStream? _out, _in;

    public void Open(string name, Side side)
    {
        _side = side;
        _to = Path.Combine(Path.GetTempPath(), name + "-to.fifo");
        _back = Path.Combine(Path.GetTempPath(), name + "-back.fifo");
        if (side == Side.Measuring)
            return;
        foreach (string path in new[] { _to, _back })
        {
            if (MakeFifo(path, 0x180 /* 0600 */) != 0)
                throw new IOException($"mkfifo {path} failed with error {Marshal.GetLastPInvokeError()}.");
        }
    }

    public void Send(ReadOnlySpan<byte> bytes)
    {
        Connect();
        _out!.Write(bytes);
    }

    public void Receive(Span<byte> bytes)
    {
        Connect();
        _in!.ReadExactly(bytes);
    }

    public void Dispose()
    {
        _out?.Dispose();
        _in?.Dispose();
        if (_side == Side.Answering)
        {
            File.Delete(_to);
            File.Delete(_back);
        }
    }

    /// <summary>Opening a pipe waits for its other end: at the first use, in the same order on both sides.</summary>
    private void Connect()
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
            FileStream reading = OpenEnd(_to, FileAccess.Read);
            _out = OpenEnd(_back, FileAccess.Write);
            _in = reading;
        }
    }

    private static FileStream OpenEnd(string path, FileAccess access) => new(path, FileMode.Open, access, FileShare.ReadWrite, bufferSize: 0);

    [DllImport("libc", EntryPoint = "mkfifo", SetLastError = true)]
    private static extern int MakeFifo([MarshalAs(UnmanagedType.LPUTF8Str)] string path, uint mode);
}
