using System.Collections.Generic;
using System.Threading.Tasks;

namespace OfficeAddin.Xll;

/// <summary>From operands to <see cref="SheetFunctions"/> and back. On any thread of the host; what may be thrown is caught in <see cref="Exports"/>.</summary>
internal static unsafe class Calls
{
    public static void* Get(void* service, void* id, void* field)
    {
        Operands operands = AddIn.Operands;
        return TryNames(service, id, field, out var names, out CellValue wrong)
            ? operands.Return(AddIn.Functions.Get(names.Service, names.Id, names.Field))
            : operands.Return(wrong);
    }

    public static void* Stream(void* service, void* id, void* field)
    {
        Operands operands = AddIn.Operands;
        return TryNames(service, id, field, out var names, out CellValue wrong)
            ? operands.Return(
                AddIn.LiveValues?.Get(names.Service, names.Id, names.Field) ?? AddIn.Functions.Stream(names.Service, names.Id, names.Field))
            : operands.Return(wrong);
    }

    public static void GetLater(void* service, void* id, void* field, void* cell)
        => AddIn.LaterResults.Send(
            cell,
            TryNames(service, id, field, out var names, out CellValue wrong)
                ? AddIn.Functions.GetAsync(names.Service, names.Id, names.Field)
                : Task.FromResult(wrong));

    public static void* Grid(void* service, void* ids, void* fields)
        => AddIn.Operands.Return(
            TryTable(service, ids, fields, out TableCall table, out CellValue wrong)
                ? table.Result(AddIn.Functions)
                : CellGrid.Of(wrong));

    public static void GridLater(void* service, void* ids, void* fields, void* cell)
        => AddIn.LaterResults.Send(
            cell,
            TryTable(service, ids, fields, out TableCall table, out CellValue wrong) ? table.ResultAsync(AddIn.Functions) : Task.FromResult(CellGrid.Of(wrong)));

    public static void* Calc(void* service, void* function, void** arguments, int count)
        => AddIn.Operands.Return(
            TryNames(service, function, out var names, out CellValue wrong)
                ? AddIn.Functions.Calc(names.Service, names.Function, Given(arguments, count))
                : CellGrid.Of(wrong));

    public static void CalcLater(void* service, void* function, void** arguments, int count, void* cell)
        => AddIn.LaterResults.Send(
            cell,
            TryNames(service, function, out var names, out CellValue wrong)
                ? AddIn.Functions.CalcAsync(names.Service, names.Function, Given(arguments, count))
                : Task.FromResult(CellGrid.Of(wrong)));

    public static void* Functions(void* service)
    {
        Operands operands = AddIn.Operands;
        return operands.Return(
            TryName(service, out string name, out CellValue wrong) ? AddIn.Functions.Functions(name) : CellGrid.Of(wrong));
    }

    public static void FunctionsLater(void* service, void* cell)
        => AddIn.LaterResults.Send(
            cell,
            TryName(service, out string name, out CellValue wrong)
                ? AddIn.Functions.FunctionsAsync(name)
                : Task.FromResult(CellGrid.Of(wrong)));

    public static void* Status(void* service)
    {
        Operands operands = AddIn.Operands;
        return TryName(service, out string name, out CellValue wrong)
            ? operands.Return(AddIn.Functions.Status(name))
            : operands.Return(wrong);
    }

    private static bool TryTable(void* service, void* ids, void* fields, out TableCall table, out CellValue wrong)
    {
        Operands operands = AddIn.Operands;
        table = default;
        if (!SheetArguments.TryName(operands.Read(service), out string name, out wrong))
            return false;
        CellGrid? rows = operands.Read(ids), columns = operands.Read(fields);
        if (!SheetArguments.TryNames(rows, out List<string> rowNames) || !SheetArguments.TryNames(columns, out List<string> columnNames)
            || (long)rowNames.Count * columnNames.Count > Operands.MostCells)
            return false;
        if (!MayAsk(out wrong))
            return false;
        table = new TableCall(name, rows!, columns!, rowNames, columnNames);
        return true;
    }

    /// <summary>Those that were left out at the end are not given.</summary>
    private static List<CellGrid> Given(void** arguments, int count)
    {
        Operands operands = AddIn.Operands;
        List<CellGrid> given = [];
        int leftOut = 0;
        for (int i = 0; i < count; i++)
        {
            if (operands.Read(arguments[i]) is not { } argument)
            {
                leftOut++;
                continue;
            }

            for (; leftOut > 0; leftOut--) // left out between two that were given
                given.Add(new CellGrid(0, 0, []));
            given.Add(argument);
        }

        return given;
    }

    private static bool TryNames(void* service, void* function, out (string Service, string Function) names, out CellValue wrong)
    {
        Operands operands = AddIn.Operands;
        names = ("", "");
        return SheetArguments.TryName(operands.Read(service), out names.Service, out wrong)
            && SheetArguments.TryName(operands.Read(function), out names.Function, out wrong) && MayAsk(out wrong);
    }

    private static bool TryNames(void* service, void* id, void* field, out (string Service, string Id, string Field) names, out CellValue wrong)
    {
        Operands operands = AddIn.Operands;
        names = ("", "", "");
        return SheetArguments.TryName(operands.Read(service), out names.Service, out wrong)
            && SheetArguments.TryName(operands.Read(id), out names.Id, out wrong)
            && SheetArguments.TryName(operands.Read(field), out names.Field, out wrong) && MayAsk(out wrong);
    }

    private static bool TryName(void* service, out string name, out CellValue wrong)
        => SheetArguments.TryName(AddIn.Operands.Read(service), out name, out wrong) && MayAsk(out wrong);

    /// <summary>Not for the function wizard: nobody wants the value of half a name, and there would be many of them.</summary>
    private static bool MayAsk(out CellValue wrong)
    {
        wrong = CellValue.NotAvailable;
        return !FunctionWizard.IsOpen;
    }
}
