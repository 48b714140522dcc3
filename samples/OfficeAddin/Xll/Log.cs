using System;
using System.Runtime.InteropServices;
using System.Text;

namespace OfficeAddin.Xll;

/// <summary>Words for whoever looks into an add-in that does not start: the debugger on Windows, standard error elsewhere when IPC_XLL_LOG is 1.</summary>
/// <remarks>Not through System.Console, which installs signal handlers in the host. Everything that a user should know is in IPC.STATUS.</remarks>
internal static unsafe partial class Log
{
    private const int StandardError = 2;

    private static readonly bool Wanted = OperatingSystem.IsWindows() || Environment.GetEnvironmentVariable("IPC_XLL_LOG") == "1";

    public static void Write(string words)
    {
        if (!Wanted)
            return;
        string line = "ipc.xll: " + words + "\n";
        if (OperatingSystem.IsWindows())
        {
            OutputDebugString(line);
            return;
        }

        byte[] bytes = Encoding.UTF8.GetBytes(line);
        fixed (byte* first = bytes)
            _ = WriteBytes(StandardError, first, bytes.Length);
    }

    [LibraryImport("kernel32", EntryPoint = "OutputDebugStringW", StringMarshalling = StringMarshalling.Utf16)]
    private static partial void OutputDebugString(string words);

    [LibraryImport("libc", EntryPoint = "write")]
    private static partial nint WriteBytes(int file, byte* bytes, nint count);
}
