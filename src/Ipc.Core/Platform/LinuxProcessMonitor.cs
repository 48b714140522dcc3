using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using static Ipc.LinuxNative;

namespace Ipc;

/// <summary>pidfd in epoll: the kernel reports an end at once, and watching costs nothing.</summary>
internal sealed unsafe class LinuxProcessMonitor : ProcessMonitor
{
    private readonly Dictionary<int, int> _descriptors = new(); // token -> pidfd
    private readonly int _epoll;
    private readonly int _wake;

    private LinuxProcessMonitor(int epoll, int wake)
    {
        _epoll = epoll;
        _wake = wake;
    }

    /// <summary>Null: there are no descriptors left, or they are not allowed.</summary>
    public static LinuxProcessMonitor? TryCreate()
    {
        int epoll = epoll_create1(EPOLL_CLOEXEC);
        int wake = epoll < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (wake >= 0)
        {
            LinuxProcessMonitor monitor = new(epoll, wake);
            if (monitor.Register(wake, 0) == 0)
                return monitor;
            _ = close(wake);
        }

        if (epoll >= 0)
            _ = close(epoll);
        return null;
    }

    public override bool TryAdd(in ProcessIdentity process, int token, out bool gone)
    {
        gone = false;
        int fd = (int)syscall3(SYS_pidfd_open, process.Pid, 0, 0);
        if (fd < 0)
        {
            gone = Marshal.GetLastWin32Error() == ESRCH;
            return false;
        }

        // The pid may have been given again before it was opened; afterwards it cannot change under the descriptor.
        gone = !Os.Current.IsRunning(process.Pid, process.StartTime);
        if (gone || Register(fd, token) != 0)
        {
            _ = close(fd);
            return false;
        }

        lock (_descriptors)
            _descriptors.Add(token, fd);
        return true;
    }

    public override void Remove(int token)
    {
        lock (_descriptors)
        {
            if (!_descriptors.TryGetValue(token, out int fd))
                return;
            _descriptors.Remove(token);
            _ = close(fd); // takes it out of the epoll set too: nobody else has this descriptor
        }
    }

    public override int Wait(int timeout)
    {
        byte* @event = stackalloc byte[16];
        int count = epoll_wait(_epoll, @event, 1, timeout);
        if (count < 0)
        {
            int error = Marshal.GetLastWin32Error();
            if (error != EINTR)
                Throw.Status(IpcStatus.SystemError, $"epoll_wait failed with errno {error}.", error);
        }

        if (count <= 0)
            return 0;

        int token = *(int*)(@event + EpollDataOffset);
        if (token == 0)
        {
            ulong value;
            _ = read(_wake, &value, sizeof(ulong)); // only empties it
        }

        return token;
    }

    public override void Wake()
    {
        ulong one = 1;
        _ = write(_wake, &one, sizeof(ulong)); // cannot fail but by being full, which wakes as well
    }

    public override void Dispose()
    {
        lock (_descriptors)
        {
            foreach (int fd in _descriptors.Values)
                _ = close(fd);
            _descriptors.Clear();
        }

        _ = close(_wake);
        _ = close(_epoll);
    }

    private int Register(int fd, int token)
    {
        byte* @event = stackalloc byte[16];
        *(ulong*)@event = 0;
        *(ulong*)(@event + 8) = 0;
        *(int*)@event = EPOLLIN;
        *(int*)(@event + EpollDataOffset) = token;
        return epoll_ctl(_epoll, EPOLL_CTL_ADD, fd, @event);
    }
}
