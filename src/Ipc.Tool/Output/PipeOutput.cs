using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

namespace Ipc.Tool;

/// <summary>The standard output when it is a pipe or a socket. Once nobody reads it any more (<c>ipc tail -f NAME | head -1</c>), writing ends the verb.</summary>
/// <remarks>The console's own stream takes that for success: a verb that has no end of its own would write for ever what nobody sees.
/// Regular files, terminals and devices stay with the console.</remarks>
internal sealed class PipeOutput : Stream
{
    private const int StandardOutput = 1, BrokenPipe = 32, TypeMask = 0xF000, Fifo = 0x1000, Socket = 0xC000;

    /// <summary>For a reader who has set the pipe not to block.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);

    private readonly int _descriptor;

    private PipeOutput(int descriptor) => _descriptor = descriptor;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Null where the standard output is something else.</summary>
    public static PipeOutput? OfProcess() =>
        OperatingSystem.IsLinux() && LinuxNative.statx(StandardOutput, "", LinuxNative.AT_EMPTY_PATH, LinuxNative.Statx.BasicStats, out LinuxNative.Statx found) == 0
            && (found.Mode & TypeMask) is Fifo or Socket ? new PipeOutput(StandardOutput) : null;

    /// <summary>Asks whether somebody reads: for who has nothing to write at the moment, and would not notice.</summary>
    public unsafe bool HasReader()
    {
        int epoll = LinuxNative.epoll_create1(LinuxNative.EPOLL_CLOEXEC);
        if (epoll < 0)
            return true; // not known: the next write finds it out
        try
        {
            byte* asked = stackalloc byte[LinuxNative.EpollEventSize]; // for nothing: errors are told of in any case
            new Span<byte>(asked, LinuxNative.EpollEventSize).Clear();
            return LinuxNative.epoll_ctl(epoll, LinuxNative.EPOLL_CTL_ADD, _descriptor, asked) != 0 || LinuxNative.epoll_wait(epoll, asked, 1, 0) <= 0;
        }
        finally
        {
            _ = LinuxNative.close(epoll);
        }
    }

    public override unsafe void Write(ReadOnlySpan<byte> buffer)
    {
        while (!buffer.IsEmpty)
        {
            nint written;
            fixed (byte* from = buffer)
                written = LinuxNative.write(_descriptor, (ulong*)from, buffer.Length);
            int error = written < 0 ? Marshal.GetLastWin32Error() : 0;
            if (error == BrokenPipe)
                throw new OutputClosedException();
            if (error == LinuxNative.EAGAIN)
                Thread.Sleep(s_pause);
            else if (error is not (0 or LinuxNative.EINTR))
                throw new IOException($"the output could not be written: errno {error}.");
            buffer = buffer[(int)Math.Max(written, 0)..];
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
