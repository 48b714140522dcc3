using System.Collections.Generic;
using System.Threading.Tasks;

namespace OfficeAddin.Xll;

/// <summary>What IPC.GRID was asked for. Errors among the names come back in their rows and columns.</summary>
internal readonly record struct TableCall(string Service, CellGrid Rows, CellGrid Columns, List<string> Ids, List<string> Fields)
{
    public CellGrid Result(SheetFunctions functions) => SheetArguments.CopyErrors(Rows, Columns, functions.Grid(Service, Ids, Fields));

    public async Task<CellGrid> ResultAsync(SheetFunctions functions)
        => SheetArguments.CopyErrors(Rows, Columns, await functions.GridAsync(Service, Ids, Fields).ConfigureAwait(false));
}
