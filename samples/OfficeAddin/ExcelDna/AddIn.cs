using System;
using ExcelDna.Integration;

namespace OfficeAddin.ExcelDna;

/// <summary>The add-in between AutoOpen and AutoClose. Excel does not call the latter when it ends: the daemons notice that by themselves.</summary>
public sealed class AddIn : IExcelAddIn
{
    private static readonly object Gate = new();
    private static SheetFunctions? _functions;
    private static SheetFunctions? _patient;

    /// <summary>For functions that Excel waits for.</summary>
    internal static SheetFunctions Functions
    {
        get
        {
            lock (Gate)
                return _functions ??= new SheetFunctions();
        }
    }

    /// <summary>For functions that nobody waits for: their results come when they come.</summary>
    internal static SheetFunctions Patient
    {
        get
        {
            lock (Gate)
                return _patient ??= new SheetFunctions(new SheetOptions { Deadline = TimeSpan.FromSeconds(30) });
        }
    }

    public void AutoOpen()
    {
    }

    /// <summary>Ends every thread before it returns: Excel-DNA unloads the assemblies of an add-in that is taken away.</summary>
    public void AutoClose()
    {
        SheetFunctions? functions, patient;
        lock (Gate)
        {
            (functions, patient) = (_functions, _patient);
            (_functions, _patient) = (null, null);
        }

        functions?.Dispose();
        patient?.Dispose();
    }
}
