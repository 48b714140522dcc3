using System;
using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Who this process is to Windows, and the descriptor of everything that it makes: this user, nobody
/// else.</summary>
internal static unsafe class WindowsSecurity
{
    private const int MaxSid = 68;
    private const int MaxDescriptor = 1024;

    // both stay until the process ends
    private static readonly byte[] s_user = ReadUser();
    private static readonly IntPtr s_files = MakeDescriptor("", "FA");
    private static readonly IntPtr s_directories = MakeDescriptor("OICI", "FA");
    private static readonly IntPtr s_objects = MakeDescriptor("", "GA");

    /// <summary>For one call that makes a file.</summary>
    public static SecurityAttributes Files => Attributes(s_files);

    public static SecurityAttributes Directories => Attributes(s_directories);

    public static SecurityAttributes Objects => Attributes(s_objects);

    /// <summary>The user of this process owns what the handle is open to. Needs READ_CONTROL.</summary>
    public static bool IsOurs(SafeHandle handle, out int error)
    {
        byte* descriptor = stackalloc byte[MaxDescriptor];
        if (GetKernelObjectSecurity(handle, OWNER_SECURITY_INFORMATION, descriptor, MaxDescriptor, out _) == 0 ||
            GetSecurityDescriptorOwner(descriptor, out IntPtr owner, out _) == 0)
        {
            error = Marshal.GetLastWin32Error();
            return false;
        }

        error = 0;
        fixed (byte* user = s_user)
            return owner != IntPtr.Zero && EqualSid((void*)owner, user) != 0;
    }

    private static SecurityAttributes Attributes(IntPtr descriptor) =>
        new() { Length = (uint)sizeof(SecurityAttributes), Descriptor = (void*)descriptor };

    private static byte[] ReadUser()
    {
        if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, out IntPtr token) == 0)
            WindowsOs.Failed("OpenProcessToken");
        try
        {
            const int Head = 16; // a pointer to the SID, its attributes; the SID follows
            byte* user = stackalloc byte[Head + MaxSid];
            if (GetTokenInformation(token, TokenUser, user, Head + MaxSid, out _) == 0)
                WindowsOs.Failed("GetTokenInformation");
            byte* sid = *(byte**)user;
            int length = 8 + sid[1] * 4;
            return new ReadOnlySpan<byte>(sid, length).ToArray();
        }
        finally
        {
            _ = CloseHandle(token);
        }
    }

    private static IntPtr MakeDescriptor(string inheritance, string rights)
    {
        string user;
        fixed (byte* sid = s_user)
        {
            if (ConvertSidToStringSidW(sid, out IntPtr text) == 0)
                WindowsOs.Failed("ConvertSidToStringSid");
            user = Marshal.PtrToStringUni(text)!;
            _ = LocalFree(text);
        }

        if (ConvertStringSecurityDescriptorToSecurityDescriptorW(
            $"O:{user}D:P(A;{inheritance};{rights};;;{user})", 1, out IntPtr descriptor, out _) == 0)
        {
            WindowsOs.Failed("ConvertStringSecurityDescriptorToSecurityDescriptor");
        }

        return descriptor;
    }
}
