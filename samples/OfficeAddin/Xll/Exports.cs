using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

namespace OfficeAddin.Xll;

/// <summary>The entry points of the library: what every add-in has, and the functions of the sheet.</summary>
/// <remarks>No exception may leave one of them: it would end the host, with the user's unsaved work.</remarks>
internal static unsafe class Exports
{
    private const int Yes = 1;
    private const int No = 0;

    /// <summary>As many as Gnumeric passes, less the service and the name.</summary>
    private const int MostArgumentsOfCalc = 28;

    private const string Service = "The name under which the daemon serves";

    /// <summary>Volatile and thread-safe, but for live ones: see <see cref="WorksheetFunction.TypesFor"/>.</summary>
    public static readonly IReadOnlyList<WorksheetFunction> Functions =
    [
        new("ipc_get", "IPC.GET", "service,id,field", 3, "One value of a daemon: what it has for this id and field", LaterExport: "ipc_get_later")
        {
            ArgumentHelp = [Service, "The row of the daemon's table", "The column of the daemon's table"],
        },
        new("ipc_grid", "IPC.GRID", "service,ids,fields", 3, "Values of a daemon as an array: a row for each id, a column for each field", LaterExport: "ipc_grid_later")
        {
            ArgumentHelp = [Service, "A range of ids, or one", "A range of fields, or one"],
        },
        new("ipc_calc", "IPC.CALC", "service,name,arguments...", 2 + MostArgumentsOfCalc, "What a daemon computes from numbers, text, errors and ranges", LaterExport: "ipc_calc_later")
        {
            ArgumentHelp = [Service, "The function of the daemon", "Up to 28 numbers, texts, truth values, errors and ranges"],
        },
        new("ipc_functions", "IPC.FUNCTIONS", "service", 1, "What a daemon computes, as an array: name, arguments and meaning of each function for IPC.CALC", LaterExport: "ipc_functions_later")
        {
            ArgumentHelp = [Service],
        },
        new("ipc_stream", "IPC.STREAM", "service,id,field", 3, "The latest value that a daemon has sent for this id and field", IsLive: true)
        {
            ArgumentHelp = [Service, "The row of the daemon's table", "The column of the daemon's table"],
        },
        new("ipc_status", "IPC.STATUS", "service", 1, "How the connection to a daemon is doing, and why there are no values")
        {
            ArgumentHelp = [Service],
        },
    ];

    [UnmanagedCallersOnly(EntryPoint = "xlAutoOpen")]
    private static int Open()
    {
        try
        {
            return AddIn.Open() ? Yes : No;
        }
        catch (Exception exception)
        {
            Log.Write(exception.ToString());
            return No;
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "xlAutoRemove")]
    private static int Remove()
    {
        AddIn.Removing();
        return Yes;
    }

    [UnmanagedCallersOnly(EntryPoint = "xlAutoClose")]
    private static int Close()
    {
        try
        {
            AddIn.Close();
        }
        catch (Exception exception)
        {
            Log.Write(exception.ToString());
        }

        return Yes;
    }

    [UnmanagedCallersOnly(EntryPoint = "xlAutoFree")]
    private static void Free(void* operand) => Operands.Free(operand);

    [UnmanagedCallersOnly(EntryPoint = "xlAutoFree12")]
    private static void Free12(void* operand) => Operands.Free(operand);

    [UnmanagedCallersOnly(EntryPoint = "SetExcel12EntryPt")]
    private static void SetEntryPoint(nint excel12) => SpreadsheetHost.HandOver(excel12);

    /// <summary>What Excel's list of add-ins shows instead of the file's name.</summary>
    [UnmanagedCallersOnly(EntryPoint = "xlAddInManagerInfo12")]
    private static void* ManagerInfo(void* action)
    {
        try
        {
            return AddIn.ManagerInfo(action);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "DllGetClassObject")]
    private static int GetClassObject(Guid* id, Guid* wanted, void** found)
    {
        try
        {
            return OperatingSystem.IsWindows() ? RtdClass.GetObject(id, wanted, found) : HResult.ClassNotAvailable;
        }
        catch (Exception exception)
        {
            Log.Write(exception.ToString());
            return HResult.Fail;
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "DllCanUnloadNow")]
    private static int CanUnload() => HResult.False;

    [UnmanagedCallersOnly(EntryPoint = "ipc_get")]
    private static void* Get(void* service, void* id, void* field)
    {
        try
        {
            return Calls.Get(service, id, field);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_grid")]
    private static void* Grid(void* service, void* ids, void* fields)
    {
        try
        {
            return Calls.Grid(service, ids, fields);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_stream")]
    private static void* Stream(void* service, void* id, void* field)
    {
        try
        {
            return Calls.Stream(service, id, field);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_functions")]
    private static void* ListFunctions(void* service)
    {
        try
        {
            return Calls.Functions(service);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_status")]
    private static void* Status(void* service)
    {
        try
        {
            return Calls.Status(service);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    // The interface knows no variable number of arguments: all that are possible are passed, those that the formula lacks as missing.
    [UnmanagedCallersOnly(EntryPoint = "ipc_calc")]
    private static void* Calc(void* service, void* name,
        void* a1, void* a2, void* a3, void* a4, void* a5, void* a6, void* a7, void* a8, void* a9, void* a10, void* a11, void*
        a12, void* a13, void* a14, void* a15, void* a16, void* a17, void* a18, void* a19, void* a20, void* a21, void* a22,
        void* a23, void* a24, void* a25, void* a26, void* a27, void* a28)
    {
        try
        {
            void** arguments = stackalloc void*[MostArgumentsOfCalc]
            {
                a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25,
                a26, a27, a28,
            };
            return Calls.Calc(service, name, arguments, MostArgumentsOfCalc);
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_get_later")]
    private static void GetLater(void* service, void* id, void* field, void* cell)
    {
        try
        {
            Calls.GetLater(service, id, field, cell);
        }
        catch (Exception exception)
        {
            FailedLater(exception, cell);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_grid_later")]
    private static void GridLater(void* service, void* ids, void* fields, void* cell)
    {
        try
        {
            Calls.GridLater(service, ids, fields, cell);
        }
        catch (Exception exception)
        {
            FailedLater(exception, cell);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_calc_later")]
    private static void CalcLater(void* service, void* name,
        void* a1, void* a2, void* a3, void* a4, void* a5, void* a6, void* a7, void* a8, void* a9, void* a10, void* a11, void*
        a12, void* a13, void* a14, void* a15, void* a16, void* a17, void* a18, void* a19, void* a20, void* a21, void* a22,
        void* a23, void* a24, void* a25, void* a26, void* a27, void* a28, void* cell)
    {
        try
        {
            void** arguments = stackalloc void*[MostArgumentsOfCalc]
            {
                a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25,
                a26, a27, a28,
            };
            Calls.CalcLater(service, name, arguments, MostArgumentsOfCalc, cell);
        }
        catch (Exception exception)
        {
            FailedLater(exception, cell);
        }
    }

    [UnmanagedCallersOnly(EntryPoint = "ipc_functions_later")]
    private static void ListFunctionsLater(void* service, void* cell)
    {
        try
        {
            Calls.FunctionsLater(service, cell);
        }
        catch (Exception exception)
        {
            FailedLater(exception, cell);
        }
    }

    private static void FailedLater(Exception exception, void* cell)
    {
        try
        {
            Log.Write(exception.ToString());
            AddIn.LaterResults.Send(cell, Task.FromResult(CellValue.Of(CellError.Value)));
        }
        catch (Exception) // no memory for so much: the cell waits until the next calculation
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void* Failed(Exception exception)
    {
        try
        {
            Log.Write(exception.ToString());
            return AddIn.Operands.Return(CellValue.Of(CellError.Value)); // it throws as well when the host is not known yet
        }
        catch (Exception) // no memory for so much: the hosts show an error for no operand at all
        {
            return null;
        }
    }
}
