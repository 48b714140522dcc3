using System;

namespace Ipc.Native;

/// <summary>The native library is missing, or is not of the version that this binding was made for. The message says which, where it
/// comes from and what to do. Nothing of the library has been used.</summary>
public sealed class NativeLibraryException : Exception
{
    /// <summary>An error without further words.</summary>
    public NativeLibraryException() : this("The native Ipc library cannot be used.") { }

    /// <summary>An error in words.</summary>
    public NativeLibraryException(string message) : base(message) { }

    /// <summary>An error with its cause.</summary>
    public NativeLibraryException(string message, Exception? innerException) : base(message, innerException) { }

    internal NativeLibraryException(string message, Version expected, Version? found, Exception? innerException = null) : base(message, innerException)
    {
        Expected = expected;
        Found = found;
    }

    /// <summary>The version that the binding was made for.</summary>
    public Version? Expected { get; }

    /// <summary>The version of the library that was found; <see langword="null"/> when there is none or it does not say.</summary>
    public Version? Found { get; }
}
