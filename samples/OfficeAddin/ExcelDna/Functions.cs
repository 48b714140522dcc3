using System.Collections.Generic;
using ExcelDna.Integration;

namespace OfficeAddin.ExcelDna;

/// <summary>The functions of the sheet: those of ../Xll, where CALC does not make Excel wait and STREAM updates by itself.</summary>
public static class Functions
{
    private const string Category = "Ipc";

    [ExcelFunction(Name = "IPC.GET", Category = Category, Description = "One value of a daemon", IsThreadSafe = true, IsVolatile = true)]
    public static object Get(object service, object id, object field)
        => TryName(service, out string of, out object wrong) && TryName(id, out string row, out wrong) && TryName(field, out string column, out wrong)
            ? Cells.Shown(AddIn.Functions.Get(of, row, column))
            : wrong;

    [ExcelFunction(Name = "IPC.GRID", Category = Category, Description = "Values of a daemon, a row for each id, a column for each field", IsThreadSafe = true, IsVolatile = true)]
    public static object Grid(object service, object ids, object fields)
    {
        if (!TryName(service, out string of, out object wrong))
            return wrong;
        CellGrid rows = Cells.Table(ids), columns = Cells.Table(fields);
        return SheetArguments.TryNames(rows, out List<string> rowNames) && SheetArguments.TryNames(columns, out List<string> columnNames)
            ? Cells.Shown(SheetArguments.CopyErrors(rows, columns, AddIn.Functions.Grid(of, rowNames, columnNames)))
            : ExcelError.ExcelErrorValue;
    }

    /// <summary>Asynchronous: the cell shows #N/A until the result is there, and Excel goes on.</summary>
    [ExcelFunction(Name = "IPC.CALC", Category = Category, Description = "What a daemon computes from numbers, text, errors and ranges")]
    public static object Calc(object service, object name, params object[] arguments)
    {
        if (!TryName(service, out string of, out object wrong) || !TryName(name, out string function, out wrong))
            return wrong;
        var tables = new List<CellGrid>();
        foreach (object argument in arguments)
            tables.Add(Cells.Table(argument));
        return ExcelAsyncUtil.RunAsTask("IPC.CALC", new object[] { of, function, arguments }, () => Cells.Shown(AddIn.Patient.Calc(of, function, tables)));
    }

    [ExcelFunction(Name = "IPC.FUNCTIONS", Category = Category, Description = "What a daemon computes: name, arguments and meaning of each function for IPC.CALC", IsThreadSafe = true, IsVolatile = true)]
    public static object List(object service)
        => TryName(service, out string of, out object wrong) ? Cells.Shown(AddIn.Functions.Functions(of)) : wrong;

    /// <summary>By RTD: the cell changes when the daemon says so, as often as Excel's throttle allows (2 s unless set).</summary>
    [ExcelFunction(Name = "IPC.STREAM", Category = Category, Description = "The latest value that a daemon has sent")]
    public static object Stream(object service, object id, object field)
        => TryName(service, out string of, out object wrong) && TryName(id, out string row, out wrong) && TryName(field, out string column, out wrong)
            ? ExcelAsyncUtil.Observe<object>("IPC.STREAM", new object[] { of, row, column }, () => new ShownCells(AddIn.Functions.Observe(of, row, column)))
            : wrong;

    [ExcelFunction(Name = "IPC.STATUS", Category = Category, Description = "How the connection to a daemon is doing", IsThreadSafe = true, IsVolatile = true)]
    public static object Status(object service)
        => TryName(service, out string of, out object wrong) ? Cells.Shown(AddIn.Functions.Status(of)) : wrong;

    private static bool TryName(object argument, out string name, out object wrong)
    {
        bool good = SheetArguments.TryName(Cells.Table(argument), out name, out CellValue error);
        wrong = Cells.Shown(error);
        return good;
    }
}
