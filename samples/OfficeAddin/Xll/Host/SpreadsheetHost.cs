using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace OfficeAddin.Xll;

/// <summary>The program that has loaded this library, reached through the one call-back that it offers.</summary>
/// <remarks>
/// Excel exports MdCallBack12 from its main program; Gnumeric loads a library that exports Excel4v for all. Both are found the same way on both
/// systems, and without linking to anything of theirs. Hosts that offer neither may hand the call-back over (SetExcel12EntryPt).
/// </remarks>
internal sealed unsafe class SpreadsheetHost
{
    private const int Succeeded = 0;

    private static volatile nint _handedOver;

    private readonly delegate* unmanaged<int, int, void**, void*, int> _excel12; // function, count, arguments, result
    private readonly delegate* unmanaged<int, void*, int, void**, int> _excel4; // function, result, count, arguments

    private SpreadsheetHost(delegate* unmanaged<int, int, void**, void*, int> excel12)
    {
        _excel12 = excel12;
        Operands = new Excel12Operands();
    }

    private SpreadsheetHost(delegate* unmanaged<int, void*, int, void**, int> excel4, bool gnumeric)
    {
        _excel4 = excel4;
        IsGnumeric = gnumeric;
        Operands = new Excel4Operands();
    }

    public Operands Operands { get; }

    /// <summary>Its functions may be called from several threads, and it knows what that means (XLOPER12, Excel 2007).</summary>
    public bool IsExcel12 => _excel12 != null;

    /// <summary>It can fetch values when they change (RTD).</summary>
    [SupportedOSPlatformGuard("windows")]
    public bool HasLiveValues => IsExcel12 && OperatingSystem.IsWindows();

    /// <summary>A function may return at once and hand over its result later (Excel 2010), unless the user does not want it.</summary>
    public bool HasLaterResults => HasLiveValues && Settings.MayAnswerLater;

    /// <summary>Gnumeric 1.12.55 reads 30 arguments of a function, whatever was registered.</summary>
    public bool IsGnumeric { get; }

    /// <summary>Null when this process is no spreadsheet program.</summary>
    public static SpreadsheetHost? Find()
    {
        nint program = NativeLibrary.GetMainProgramHandle();
        nint entry = _handedOver;
        if (entry != 0 || NativeLibrary.TryGetExport(program, "MdCallBack12", out entry))
            return new SpreadsheetHost((delegate* unmanaged<int, int, void**, void*, int>)entry);
        if (!NativeLibrary.TryGetExport(program, "Excel4v", out entry))
            return null;
        bool gnumeric = NativeLibrary.TryGetExport(program, "register_actual_excel4v", out _);
        return new SpreadsheetHost((delegate* unmanaged<int, void*, int, void**, int>)entry, gnumeric);
    }

    public static void HandOver(nint excel12) => _handedOver = excel12;

    /// <summary>Calls a function of the host. False when the host refuses; the result is then as it was.</summary>
    public bool Call(int function, void* result, int count, void** arguments)
        => (_excel12 != null ? _excel12(function, count, arguments, result) : _excel4(function, result, count, arguments)) == Succeeded;
}
