using System.Collections.Generic;
using System.Threading;
using Ipc.Rpc;

namespace OfficeAddin;

/// <summary>What a daemon offers to the cells of a spreadsheet: a table of ids x fields, functions, and changes as they happen.</summary>
/// <remarks>
/// Nothing here changes anything at the daemon: whoever does not know whether a request was handled may ask again. What a cell can show is an answer, also
/// an error; a call fails only when there is no answer. ipc.sheet.v1.proto is written from this file (dotnet build -p:IpcUpdateContracts=true), and every build
/// compares the two; the C++ daemon is built from it.
/// </remarks>
[IpcService("ipc.sheet.v1")]
public interface ISheet
{
    /// <summary>The cells of a table, a row per id and a column per field; those that do not exist are #N/A.</summary>
    Cells Grid(GridRequest request);

    /// <summary>The result of a function; #NAME? if there is none of that name, #VALUE! for arguments that it does not take.</summary>
    Cells Calc(CalcRequest request, CancellationToken cancellationToken = default);

    /// <summary>At first all cells of the request, then those that have changed.</summary>
    IAsyncEnumerable<Changes> Subscribe(SubscribeRequest request, CancellationToken cancellationToken = default);

    /// <summary>Who serves, and what.</summary>
    DaemonStatus Status();

    /// <summary>What <see cref="Calc"/> can compute. It came later than the others: a daemon may lack it, and serve all the same.</summary>
    DaemonFunctions Functions();
}
