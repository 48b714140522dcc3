using System;
using System.Runtime.InteropServices;

namespace Ipc;

/// <summary>The C library of Linux: declarations only. All of it exists in glibc 2.28 and musl 1.2.</summary>
/// <remarks><c>DllImport</c>, not <c>LibraryImport</c>: the same source serves .NET Framework's stand-in. The variadic
/// ones (open, fcntl, syscall) take integers and pointers only, which x64 and arm64 Linux pass like fixed
/// arguments.</remarks>
internal static unsafe class LinuxNative
{
    private const string C = "libc";

    public const int ENOENT = 2, ESRCH = 3, EINTR = 4, EAGAIN = 11, ENOMEM = 12, EACCES = 13, EFAULT = 14, EEXIST = 17,
        ENOTDIR = 20, EISDIR = 21, EINVAL = 22,
        ENOSPC = 28, EPERM = 1, ENOTEMPTY = 39, ELOOP = 40, EOPNOTSUPP = 95, ETIMEDOUT = 110, EDQUOT = 122, ENOSYS = 38;

    public const int AT_FDCWD = -100, AT_SYMLINK_FOLLOW = 0x400, AT_SYMLINK_NOFOLLOW = 0x100, AT_EMPTY_PATH = 0x1000;
    public const nuint AT_SECURE = 23; // of getauxval
    public const int O_RDONLY = 0, O_RDWR = 2, O_NONBLOCK = 0x800, O_CREAT = 0x40, O_EXCL = 0x80, O_CLOEXEC = 0x80000;
    public const int F_OFD_GETLK = 36, F_OFD_SETLK = 37;
    public const short F_WRLCK = 1, F_UNLCK = 2;
    public const int FUTEX_WAKE = 1, FUTEX_WAIT_BITSET = 9;
    public const int MEMBARRIER_CMD_QUERY = 0, MEMBARRIER_CMD_GLOBAL_EXPEDITED = 2,
        MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED = 4,
        MEMBARRIER_CMD_PRIVATE_EXPEDITED = 8, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED = 16;
    public const int EPOLLIN = 1, EPOLL_CTL_ADD = 1, EPOLL_CTL_DEL = 2, EPOLL_CLOEXEC = O_CLOEXEC,
        EFD_CLOEXEC = O_CLOEXEC, EFD_NONBLOCK = 0x800;
    public const int PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20,
        MAP_NORESERVE = 0x4000;
    public const int MADV_REMOVE = 9, MADV_POPULATE_WRITE = 23;
    public const int SIGKILL = 9, SIGSTOP = 19;
    public const int CLOCK_MONOTONIC = 1;

    private static readonly bool s_arm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    // Where the two architectures differ.
    public static readonly int O_NOFOLLOW = s_arm ? 0x8000 : 0x20000;
    public static readonly int O_DIRECTORY = s_arm ? 0x4000 : 0x10000;
    public static readonly int O_TMPFILE = 0x400000 | O_DIRECTORY;
    public static readonly int EpollEventSize = s_arm ? 16 : 12;
    public static readonly int EpollDataOffset = s_arm ? 8 : 4;
    public static readonly long SYS_futex = s_arm ? 98 : 202;
    public static readonly long SYS_membarrier = s_arm ? 283 : 324;
    public static readonly long SYS_gettid = s_arm ? 178 : 186;
    public static readonly long SYS_tgkill = s_arm ? 131 : 234;
    public const long SYS_pidfd_open = 434, SYS_futex_waitv = 449;
    public const uint FUTEX2_SIZE_U32 = 2;
    public const int FUTEX_WAITV_MAX = 128;

    [StructLayout(LayoutKind.Sequential)]
    public struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct FutexWaitV
    {
        public ulong Value;
        public ulong Address;
        public uint Flags;
        public uint Reserved;
    }

    [StructLayout(LayoutKind.Explicit, Size = 32)]
    public struct Flock
    {
        [FieldOffset(0)] public short Type;
        [FieldOffset(2)] public short Whence;
        [FieldOffset(8)] public long Start;
        [FieldOffset(16)] public long Length;
        [FieldOffset(24)] public int Pid;
    }

    /// <summary>The same on every architecture, unlike <c>struct stat</c>.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct Statx
    {
        public const uint BasicStats = 0x7FF;
        [FieldOffset(20)] public uint Uid;
        [FieldOffset(24)] public uint Gid;
        [FieldOffset(28)] public ushort Mode;
        [FieldOffset(32)] public ulong Inode;
        [FieldOffset(40)] public ulong Size;
        [FieldOffset(48)] public ulong Blocks; // of 512 bytes, holes not counted
        [FieldOffset(136)] public uint DeviceMajor;
        [FieldOffset(140)] public uint DeviceMinor;
    }

    [DllImport(C, SetLastError = true)]
    public static extern int open([MarshalAs(UnmanagedType.LPStr)] string path, int flags, int mode);
    [DllImport(C, SetLastError = true)] public static extern int close(int fd);
    [DllImport(C, SetLastError = true)] public static extern int ftruncate(SafeHandle fd, long length);
    [DllImport(C)] public static extern int posix_fallocate(SafeHandle fd, long offset, long length);
    [DllImport(C, SetLastError = true)] public static extern int fcntl(SafeHandle fd, int command, ref Flock flock);
    [DllImport(C, SetLastError = true)]
    public static extern int statx(
        int directory, [MarshalAs(UnmanagedType.LPStr)] string path, int flags, uint mask, out Statx result);
    [DllImport(C, SetLastError = true)]
    public static extern int linkat(
        int fromDirectory,
        [MarshalAs(UnmanagedType.LPStr)] string from,
        int toDirectory,
        [MarshalAs(UnmanagedType.LPStr)] string to,
        int flags);
    [DllImport(C, SetLastError = true)] public static extern int unlink([MarshalAs(UnmanagedType.LPStr)] string path);
    [DllImport(C, SetLastError = true)]
    public static extern int mkdir([MarshalAs(UnmanagedType.LPStr)] string path, int mode);
    [DllImport(C, SetLastError = true)] public static extern int rmdir([MarshalAs(UnmanagedType.LPStr)] string path);
    [DllImport(C, SetLastError = true)]
    public static extern int rename(
        [MarshalAs(UnmanagedType.LPStr)] string from, [MarshalAs(UnmanagedType.LPStr)] string to);
    [DllImport(C, SetLastError = true)]
    public static extern int chmod([MarshalAs(UnmanagedType.LPStr)] string path, uint mode);
    [DllImport(C, SetLastError = true)] public static extern int fchmod(SafeHandle fd, uint mode);
    [DllImport(C, SetLastError = true)] public static extern int fchown(SafeHandle fd, uint user, uint group);
    [DllImport(C, SetLastError = true)]
    public static extern int fsetxattr(
        SafeHandle fd, [MarshalAs(UnmanagedType.LPStr)] string name, byte[] value, nuint size, int flags);
    [DllImport(C, SetLastError = true)]
    public static extern nint fgetxattr(
        SafeHandle fd, [MarshalAs(UnmanagedType.LPStr)] string name, byte[] value, nuint size);
    [DllImport(C, SetLastError = true)] public static extern int madvise(void* start, nuint length, int advice);
    [DllImport(C)]
    public static extern void* mmap(void* start, nuint length, int protection, int flags, int fd, nint offset);

    [DllImport(C, SetLastError = true)] public static extern int munmap(void* start, nuint length);
    [DllImport(C)] public static extern uint geteuid();
    [DllImport(C)] public static extern nuint getauxval(nuint type);
    [DllImport(C)] public static extern int getpid();
#if NET8_0_OR_GREATER
    [SuppressGCTransition] // some nanoseconds, without a call into the kernel
#endif
    [DllImport(C)] public static extern int sched_getcpu();
    [DllImport(C, SetLastError = true)] public static extern int kill(int pid, int signal);
    [DllImport(C)] public static extern int clock_gettime(int clock, out Timespec time);
    [DllImport(C, SetLastError = true)] public static extern int epoll_create1(int flags);
    [DllImport(C, SetLastError = true)]
    public static extern int epoll_ctl(int epoll, int operation, int fd, byte* @event);
    [DllImport(C, SetLastError = true)]
    public static extern int epoll_wait(int epoll, byte* events, int count, int timeout);
    [DllImport(C, SetLastError = true)] public static extern int eventfd(uint initial, int flags);
    [DllImport(C, SetLastError = true)]
    public static extern nint pread(SafeHandle fd, byte* to, nuint count, long offset);
    [DllImport(C, SetLastError = true)] public static extern nint read(int fd, ulong* value, nint size);
    [DllImport(C, SetLastError = true)] public static extern nint write(int fd, ulong* value, nint size);

    [DllImport(C, EntryPoint = "syscall", SetLastError = true)]
    public static extern nint futex(
        long number, uint* word, long operation, long value, Timespec* timeout, void* second, long mask);

    [DllImport(C, EntryPoint = "syscall", SetLastError = true)]
    public static extern nint syscall3(long number, long first, long second, long third);

    [DllImport(C, EntryPoint = "syscall", SetLastError = true)]
    public static extern nint futex_waitv(
        long number, FutexWaitV* waiters, long count, long flags, Timespec* timeout, long clock);
}
