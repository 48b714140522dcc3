using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace OfficeAddin.Xll;

/// <summary>Whether the user is filling in a function's arguments in Excel's function wizard, which calculates the function anew with every character of them.</summary>
/// <remarks>
/// Excel has no question for it. Its dialogs are windows of one class, and this one of them has a field for each of five arguments and a bar to scroll
/// them; the dialog for finding and replacing, which recalculates cells, has fewer. The words in it depend on the user's language.
/// </remarks>
internal static unsafe partial class FunctionWizard
{
    private const string DialogClass = "bosa_sdm_XL"; // and a number
    private const string FieldClass = "EDTBX";
    private const string BarClass = "ScrollBar";
    private const int Fields = 5;
    private const int LongestName = 32;

    /// <summary>For so long a wizard that was not there is not looked for: a calculation of many cells looks once.</summary>
    private const int QuietMilliseconds = 50;

    private static long _isClosedUntil;

    /// <summary>On Excel's main thread, which dialogs are on, as the functions that they calculate; false on any other.</summary>
    public static bool IsOpen => OperatingSystem.IsWindows() && AddIn.IsOnMainThread && Environment.TickCount64 >= _isClosedUntil && Look();

    [SupportedOSPlatform("windows")]
    private static bool Look()
    {
        bool isOpen = false;
        _ = EnumThreadWindows(GetCurrentThreadId(), &LookAtWindow, &isOpen);
        if (!isOpen)
            _isClosedUntil = Environment.TickCount64 + QuietMilliseconds;
        return isOpen;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvStdcall)])]
    [SupportedOSPlatform("windows")]
    private static int LookAtWindow(nint window, void* isOpen)
    {
        if (!IsOfClass(window, DialogClass, isWhole: false))
            return 1;
        (int Fields, int Bars) parts = default;
        _ = EnumChildWindows(window, &CountPart, &parts);
        *(bool*)isOpen = parts.Fields >= Fields && parts.Bars > 0;
        return *(bool*)isOpen ? 0 : 1;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvStdcall)])]
    [SupportedOSPlatform("windows")]
    private static int CountPart(nint window, void* counted)
    {
        var parts = ((int Fields, int Bars)*)counted;
        if (IsOfClass(window, FieldClass, isWhole: true))
            parts->Fields++;
        else if (IsOfClass(window, BarClass, isWhole: true))
            parts->Bars++;
        return 1;
    }

    [SupportedOSPlatform("windows")]
    private static bool IsOfClass(nint window, string name, bool isWhole)
    {
        char* room = stackalloc char[LongestName];
        int length = GetClassNameW(window, room, LongestName);
        return length >= name.Length && (length == name.Length || !isWhole)
            && new ReadOnlySpan<char>(room, name.Length).Equals(name, StringComparison.OrdinalIgnoreCase);
    }

    [LibraryImport("kernel32")]
    private static partial uint GetCurrentThreadId();

    [LibraryImport("user32")]
    private static partial int EnumThreadWindows(uint thread, delegate* unmanaged[Stdcall]<nint, void*, int> look, void* isOpen);

    [LibraryImport("user32")]
    private static partial int EnumChildWindows(nint parent, delegate* unmanaged[Stdcall]<nint, void*, int> count, void* parts);

    [LibraryImport("user32")]
    private static partial int GetClassNameW(nint window, char* name, int size);
}
