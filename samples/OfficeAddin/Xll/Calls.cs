using System.Collections.Generic;

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

    public static void* Grid(void* service, void* ids, void* fields)
    {
        Operands operands = AddIn.Operands;
        if (!SheetArguments.TryName(operands.Read(service), out string name, out CellValue wrong))
            return operands.Return(wrong);
        CellGrid? rows = operands.Read(ids), columns = operands.Read(fields);
        if (!SheetArguments.TryNames(rows, out List<string> rowNames) || !SheetArguments.TryNames(columns, out List<string> columnNames)
            || (long)rowNames.Count * columnNames.Count > Operands.MostCells)
            return operands.Return(wrong);
        CellGrid result = AddIn.Functions.Grid(name, rowNames, columnNames);
        return operands.Return(SheetArguments.CopyErrors(rows!, columns!, result));
    }

    public static void* Calc(void* service, void* function, void** arguments, int count)
    {
        Operands operands = AddIn.Operands;
        if (!SheetArguments.TryName(operands.Read(service), out string name, out CellValue wrong)
            || !SheetArguments.TryName(operands.Read(function), out string functionName, out wrong))
            return operands.Return(wrong);

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

        return operands.Return(AddIn.Functions.Calc(name, functionName, given));
    }

    public static void* Status(void* service)
    {
        Operands operands = AddIn.Operands;
        return SheetArguments.TryName(operands.Read(service), out string name, out CellValue wrong)
            ? operands.Return(AddIn.Functions.Status(name))
            : operands.Return(wrong);
    }

    private static bool TryNames(void* service, void* id, void* field, out (string Service, string Id, string Field) names, out CellValue wrong)
    {
        Operands operands = AddIn.Operands;
        names = ("", "", "");
        return SheetArguments.TryName(operands.Read(service), out names.Service, out wrong)
            && SheetArguments.TryName(operands.Read(id), out names.Id, out wrong)
            && SheetArguments.TryName(operands.Read(field), out names.Field, out wrong);
    }
}
