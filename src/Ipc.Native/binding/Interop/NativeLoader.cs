using System;
using System.Threading;
#if NET
using System.Runtime.InteropServices;
#endif

namespace Ipc.Native;

/// <summary>Finds the native library and asks for its version before anything else is called: structures of another version would be
/// read as garbage. Every way into the binding passes here; after the first time it costs a read.</summary>
internal static class NativeLoader
{
    /// <summary>The version of ipc.h that the declarations here were written after.</summary>
    public static readonly Version Expected = new(0, 1, 0);

    /// <summary>A path given here (runtimeconfig.json, or AppContext.SetData before the first use) is loaded instead of what the runtime would find.</summary>
    private const string PathSetting = "Ipc.Native.Library";

    private static Version? s_found;

    /// <summary>The version of the library.</summary>
    /// <exception cref="NativeLibraryException">There is none, or it is of another version. Asked again, the answer is the same.</exception>
    public static Version Ensure() => Volatile.Read(ref s_found) ?? Load();

    private static Version Load()
    {
        uint number;
        try
        {
            ChooseLibrary();
            number = NativeMethods.ipc_version_number();
        }
        catch (Exception e) when (e is DllNotFoundException or BadImageFormatException)
        {
            throw new NativeLibraryException(
                "The native Ipc library (libipc.so) cannot be loaded. The package Ipc.Native brings it for linux-x64; for another platform build src/Ipc.Native"
                + " and put it beside the program, or name its path in the setting " + PathSetting + ". The system says: " + e.Message,
                Expected,
                null,
                e);
        }
        catch (EntryPointNotFoundException e)
        {
            throw new NativeLibraryException(
                "The native library that was found under the name ipc is none of Ipc, or older than 0.1.0: it has no function ipc_version_number. This binding needs version "
                + Expected.ToString(2) + ".x. Look for another libipc.so beside the program and in LD_LIBRARY_PATH.",
                Expected,
                null,
                e);
        }

        var found = new Version((int)(number / 1_000_000), (int)(number / 1_000 % 1_000), (int)(number % 1_000));
        // As ipc_check_version has it: before 1.0 a minor version may change anything, from then on it only adds.
        if (found.Major != Expected.Major || (found.Major == 0 ? found.Minor != Expected.Minor : found.Minor < Expected.Minor))
        {
            throw new NativeLibraryException(
                "The native Ipc library is version " + found + ", this binding is made for " + Expected.ToString(2) + ".x: use the package and the library of one version. "
                + "Look for another libipc.so beside the program and in LD_LIBRARY_PATH.",
                Expected,
                found);
        }

        Volatile.Write(ref s_found, found);
        return found;
    }

#if NET
    private static readonly object s_lock = new();
    private static IntPtr s_library;
    private static bool s_isChosen;

    /// <summary>Once and for all: the runtime asks for each function anew, and two libraries must not share one program's objects.</summary>
    private static void ChooseLibrary()
    {
        lock (s_lock)
        {
            if (s_isChosen)
                return;
            if (AppContext.GetData(PathSetting) is string { Length: > 0 } path)
                s_library = NativeLibrary.Load(path);
            NativeLibrary.SetDllImportResolver(typeof(NativeLoader).Assembly, static (name, _, _) => name == NativeMethods.Library ? s_library : IntPtr.Zero);
            s_isChosen = true;
        }
    }
#else
    /// <summary>.NET Framework has one way only: beside the program, where the package's targets put it.</summary>
    private static void ChooseLibrary()
    {
    }
#endif
}
