using System;

namespace Ipc.Native;

/// <summary>The C library as a whole.</summary>
public static unsafe class IpcNative
{
    /// <summary>The version of the native library. Loads it.</summary>
    /// <exception cref="NativeLibraryException">It is missing, or of a version that this binding cannot use.</exception>
    public static Version Version => NativeLoader.Ensure();

    /// <summary>Removes the storage of exactly that name, whatever its kind.</summary>
    /// <exception cref="NativeException">A live participant is attached (<see cref="NativeStatus.InUse"/>), or there is none of that
    /// name (<see cref="NativeStatus.NotFound"/>).</exception>
    public static void Clear(string name)
    {
        NativeLoader.Ensure();
        fixed (byte* text = Utf8.Terminated(name))
            NativeError.Check(NativeMethods.ipc_clear(text));
    }
}
