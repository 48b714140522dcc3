using System;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Ipc;

/// <summary>What this library calls of Windows: declarations only. All of it exists in Windows 8 and Server
/// 2012.</summary>
internal static unsafe class WindowsNative
{
    private const string Kernel = "kernel32.dll", Security = "advapi32.dll", Executive = "ntdll.dll";

    public const int ERROR_FILE_NOT_FOUND = 2, ERROR_PATH_NOT_FOUND = 3, ERROR_ACCESS_DENIED = 5,
        ERROR_SHARING_VIOLATION = 32, ERROR_LOCK_VIOLATION = 33, ERROR_HANDLE_DISK_FULL = 39, ERROR_FILE_EXISTS = 80,
        ERROR_INVALID_PARAMETER = 87, ERROR_DISK_FULL = 112, ERROR_ALREADY_EXISTS = 183, ERROR_IO_PENDING = 997,
        ERROR_DISK_QUOTA_EXCEEDED = 1295, ERROR_NOT_LOCKED = 158;

    public const uint GENERIC_READ = 0x80000000, GENERIC_WRITE = 0x40000000, DELETE = 0x10000, READ_CONTROL = 0x20000,
        SYNCHRONIZE = 0x100000, FILE_READ_ATTRIBUTES = 0x80, EVENT_MODIFY_STATE = 2;
    public const uint FILE_SHARE_ALL = 7; // read, write, delete
    public const uint CREATE_NEW = 1, OPEN_EXISTING = 3;
    public const uint FILE_ATTRIBUTE_DIRECTORY = 0x10, FILE_ATTRIBUTE_DEVICE = 0x40, FILE_ATTRIBUTE_TEMPORARY = 0x100,
        FILE_ATTRIBUTE_REPARSE_POINT = 0x400, FILE_FLAG_BACKUP_SEMANTICS = 0x02000000,
        FILE_FLAG_OPEN_REPARSE_POINT = 0x00200000, FILE_FLAG_DELETE_ON_CLOSE = 0x04000000;
    public const int FILE_TYPE_DISK = 1;
    public const uint DRIVE_REMOTE = 4;
    public const int FileStandardInfo = 1, FileRenameInfo = 3, FileDispositionInfo = 4, FileEndOfFileInfo = 6,
        FileAttributeTagInfo = 9, FileIdInfo = 18;
    public const uint FSCTL_SET_SPARSE = 0x900C4;
    public const uint LOCKFILE_FAIL_IMMEDIATELY = 1, LOCKFILE_EXCLUSIVE_LOCK = 2;
    public const uint PAGE_READWRITE = 4, FILE_MAP_WRITE = 2, FILE_MAP_READ = 4;
    public const uint PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;
    public const uint WAIT_OBJECT_0 = 0, WAIT_FAILED = 0xFFFFFFFF, INFINITE = 0xFFFFFFFF;
    public const int MAXIMUM_WAIT_OBJECTS = 64;
    public const uint WT_EXECUTEINWAITTHREAD = 4, WT_EXECUTEONLYONCE = 8;
    public const ushort ALL_PROCESSOR_GROUPS = 0xFFFF;
    public const uint TOKEN_QUERY = 8;
    public const int TokenUser = 1;
    public const uint OWNER_SECURITY_INFORMATION = 1;

    public static readonly IntPtr InvalidHandle = new(-1);

    [StructLayout(LayoutKind.Sequential)]
    public struct SecurityAttributes
    {
        public uint Length;
        public void* Descriptor;
        public int InheritHandle;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Overlapped
    {
        public nuint Internal;
        public nuint InternalHigh;
        public uint Offset;
        public uint OffsetHigh;
        public IntPtr Event;
    }

    [StructLayout(LayoutKind.Explicit, Size = 24)]
    public struct StandardInfo
    {
        [FieldOffset(0)] public long AllocationSize;
        [FieldOffset(8)] public long EndOfFile;
        [FieldOffset(20)] public byte DeletePending;
        [FieldOffset(21)] public byte Directory;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct AttributeTagInfo
    {
        public uint Attributes;
        public uint ReparseTag;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct IdInfo
    {
        public ulong Volume;
        public ulong Low;
        public ulong High;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct ProcessorNumber
    {
        public ushort Group;
        public byte Number;
        public byte Reserved;
    }

    [DllImport(Kernel, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern SafeFileHandle CreateFileW(
        string path,
        uint access,
        uint share,
        SecurityAttributes* security,
        uint disposition,
        uint flags,
        IntPtr template);
    [DllImport(Kernel, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern int CreateDirectoryW(string path, SecurityAttributes* security);
    [DllImport(Kernel, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern uint GetFileAttributesW(string path);
    [DllImport(Kernel, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern uint GetDriveTypeW(string root);
    [DllImport(Kernel, SetLastError = true)]
    public static extern SafeFileHandle ReOpenFile(SafeHandle file, uint access, uint share, uint flags);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int SetFileInformationByHandle(SafeHandle file, int kind, void* info, uint size);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int GetFileInformationByHandleEx(SafeHandle file, int kind, void* info, uint size);
    [DllImport(Kernel, SetLastError = true)] public static extern int GetFileType(SafeHandle file);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int DeviceIoControl(
        SafeHandle file, uint code, void* @in, uint inSize, void* @out, uint outSize, out uint returned, IntPtr none);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int ReadFile(SafeHandle file, byte* to, uint count, out uint done, Overlapped* where);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int WriteFile(SafeHandle file, byte* from, uint count, out uint done, Overlapped* where);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int LockFileEx(
        SafeHandle file, uint flags, uint reserved, uint lengthLow, uint lengthHigh, Overlapped* where);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int UnlockFileEx(
        SafeHandle file, uint reserved, uint lengthLow, uint lengthHigh, Overlapped* where);
    [DllImport(Kernel, SetLastError = true)]
    public static extern IntPtr CreateFileMappingW(
        SafeHandle file, SecurityAttributes* security, uint protection, uint sizeHigh, uint sizeLow, void* name);
    [DllImport(Kernel, SetLastError = true)]
    public static extern byte* MapViewOfFile(IntPtr section, uint access, uint high, uint low, nuint size);
    [DllImport(Kernel, SetLastError = true)] public static extern int UnmapViewOfFile(IntPtr start);
    [DllImport(Kernel, SetLastError = true)] public static extern int CloseHandle(IntPtr handle);

    [DllImport(Kernel, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern IntPtr CreateEventW(SecurityAttributes* security, int manual, int set, string? name);
    [DllImport(Kernel, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern IntPtr OpenEventW(uint access, int inherit, string name);
    [DllImport(Kernel, SetLastError = true)] public static extern int SetEvent(IntPtr @event);
    [DllImport(Kernel, SetLastError = true)]
    public static extern uint WaitForSingleObject(IntPtr handle, uint milliseconds);
    [DllImport(Kernel, SetLastError = true)]
    public static extern uint WaitForMultipleObjects(uint count, IntPtr* handles, int all, uint milliseconds);

    [DllImport(Kernel)] public static extern void Sleep(uint milliseconds);

    [DllImport(Kernel)] public static extern IntPtr GetCurrentProcess();
    [DllImport(Kernel)] public static extern uint GetCurrentProcessId();
    [DllImport(Kernel, SetLastError = true)]
    public static extern IntPtr OpenProcess(uint access, int inherit, uint pid);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int GetProcessTimes(
        IntPtr process, out ulong created, out ulong ended, out ulong kernel, out ulong user);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int TerminateProcess(IntPtr process, uint code);
    [DllImport(Executive)] public static extern int NtSuspendProcess(IntPtr process);
    [DllImport(Kernel)] public static extern uint GetActiveProcessorCount(ushort group);
#if NET8_0_OR_GREATER
    [SuppressGCTransition] // some nanoseconds, without a call into the kernel
#endif
    [DllImport(Kernel)] public static extern void GetCurrentProcessorNumberEx(ProcessorNumber* number);
    [DllImport(Kernel)] public static extern void FlushProcessWriteBuffers();

    [DllImport(Kernel, SetLastError = true)]
    public static extern int RegisterWaitForSingleObject(
        out IntPtr wait, IntPtr handle, IntPtr callback, IntPtr context, uint milliseconds, uint flags);
    [DllImport(Kernel, SetLastError = true)]
    public static extern int UnregisterWaitEx(IntPtr wait, IntPtr completion);

    [DllImport(Kernel)] public static extern IntPtr LocalFree(IntPtr memory);
    [DllImport(Security, SetLastError = true)]
    public static extern int OpenProcessToken(IntPtr process, uint access, out IntPtr token);
    [DllImport(Security, SetLastError = true)]
    public static extern int GetTokenInformation(IntPtr token, int kind, void* info, uint size, out uint needed);
    [DllImport(Security, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern int ConvertSidToStringSidW(void* sid, out IntPtr text);
    [DllImport(Security, SetLastError = true, CharSet = CharSet.Unicode, ExactSpelling = true)]
    public static extern int ConvertStringSecurityDescriptorToSecurityDescriptorW(
        string text, uint revision, out IntPtr descriptor, out uint size);
    [DllImport(Security, SetLastError = true)]
    public static extern int GetKernelObjectSecurity(
        SafeHandle handle, uint what, void* descriptor, uint size, out uint needed);
    [DllImport(Security, SetLastError = true)]
    public static extern int GetSecurityDescriptorOwner(void* descriptor, out IntPtr sid, out int isDefault);
    [DllImport(Security)] public static extern int EqualSid(void* first, void* second);
}
