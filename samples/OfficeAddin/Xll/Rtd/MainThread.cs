using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;

namespace OfficeAddin.Xll;

/// <summary>Lets Excel's main thread run something, when it comes to its messages: Excel's objects must not be called on any other.</summary>
/// <remarks>A window that nobody sees receives a message. One at a time in the process, made and destroyed on the main thread.</remarks>
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class MainThread
{
    private const uint Wake = 0x8000; // WM_APP
    private const nint MessagesOnly = -3;

    // Another copy of the add-in in this process has classes of its own, and a name can be taken once.
    private static readonly string ClassName = "Ipc.Sheet.MainThread." + Guid.NewGuid().ToString("N");

    private static MainThread? _current;
    private static ushort _class;

    private readonly Action _run;
    private nint _window;

    /// <param name="run">Runs on the calling thread, once or more after each <see cref="Post"/>. It throws nothing.</param>
    public MainThread(Action run)
    {
        _run = run;
        fixed (char* name = ClassName)
        {
            if (_class == 0)
            {
                WindowClass window = new() { Size = (uint)sizeof(WindowClass), Procedure = &OnMessage, Name = name };
                _class = RegisterClassExW(&window);
            }

            _window = _class == 0 ? 0 : CreateWindowExW(0, name, null, 0, 0, 0, 0, 0, MessagesOnly, 0, 0, null);
        }

        if (_window == 0)
            throw new InvalidOperationException("There is no window for messages: error " + Marshal.GetLastPInvokeError() + ".");
        _current = this;
    }

    /// <summary>On any thread. Does nothing after the end.</summary>
    /// <returns><see langword="false"/> when the system refuses: more messages are waiting than it keeps.</returns>
    public bool Post() => Volatile.Read(ref _window) is var window && (window == 0 || PostMessageW(window, Wake, 0, 0) != 0);

    /// <summary>On the thread that made it.</summary>
    public void End()
    {
        nint window = _window;
        Volatile.Write(ref _window, 0);
        _ = DestroyWindow(window);
        if (ReferenceEquals(_current, this))
            _current = null;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvStdcall)])]
    private static nint OnMessage(nint window, uint message, nint first, nint second)
    {
        if (message != Wake)
            return DefWindowProcW(window, message, first, second);
        _current?._run();
        return 0;
    }

    [LibraryImport("user32", SetLastError = true)]
    private static partial ushort RegisterClassExW(WindowClass* window);

    [LibraryImport("user32", SetLastError = true)]
    private static partial nint CreateWindowExW(
        uint extended, char* name, char* title, uint style, int x, int y, int width, int height, nint parent, nint menu, nint instance, void* parameter);

    [LibraryImport("user32")]
    private static partial int DestroyWindow(nint window);

    [LibraryImport("user32")]
    private static partial int PostMessageW(nint window, uint message, nint first, nint second);

    [LibraryImport("user32")]
    private static partial nint DefWindowProcW(nint window, uint message, nint first, nint second);

    private struct WindowClass
    {
        public uint Size, Style;
        public delegate* unmanaged[Stdcall]<nint, uint, nint, nint, nint> Procedure;
        public int ClassExtra, WindowExtra;
        public nint Instance, Icon, Cursor, Background;
        public char* Menu, Name;
        public nint SmallIcon;
    }
}
