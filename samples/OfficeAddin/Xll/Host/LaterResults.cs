using System;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin.Xll;

/// <summary>Results of functions that have returned before they had one: the host shows that the cell waits, goes on, and is handed the result.</summary>
/// <remarks>On threads of the pool. A host that has begun a new calculation meanwhile takes no result of the old one, and asks again.</remarks>
internal sealed class LaterResults(SpreadsheetHost host)
{
    private static int _outstanding;

    /// <summary>Hands the result over when there is one, never before the calling function has returned.</summary>
    /// <param name="cell">What the host has given the function to name the cell by. It is copied.</param>
    /// <param name="result">It does not fail.</param>
    public unsafe void Send(void* cell, Task<CellGrid> result)
    {
        Interlocked.Increment(ref _outstanding);
        _ = SendAsync(*(Operand12*)cell, result);
    }

    public unsafe void Send(void* cell, Task<CellValue> result)
    {
        Interlocked.Increment(ref _outstanding);
        _ = SendAsync(*(Operand12*)cell, result);
    }

    /// <summary>Waits until no result is under way. The functions have been closed: it takes moments.</summary>
    public static void WaitForAll()
    {
        long until = Environment.TickCount64 + 5000;
        while (Volatile.Read(ref _outstanding) != 0 && Environment.TickCount64 < until)
            Thread.Sleep(1);
    }

    private async Task SendAsync(Operand12 cell, Task<CellGrid> result)
    {
        try
        {
            Hand(cell, await result.ConfigureAwait(ConfigureAwaitOptions.ForceYielding));
        }
        catch (Exception exception)
        {
            Failed(cell, exception);
        }

        Interlocked.Decrement(ref _outstanding);
    }

    private async Task SendAsync(Operand12 cell, Task<CellValue> result)
    {
        try
        {
            // not while the calling function runs, nor once more by the pool when it is there already
            ConfigureAwaitOptions how = result.IsCompleted ? ConfigureAwaitOptions.ForceYielding : ConfigureAwaitOptions.None;
            Hand(cell, CellGrid.Of(await result.ConfigureAwait(how)));
        }
        catch (Exception exception)
        {
            Failed(cell, exception);
        }

        Interlocked.Decrement(ref _outstanding);
    }

    private unsafe void Hand(Operand12 cell, CellGrid result)
    {
        const int Count = 2;
        void* value = host.Operands.Argument(result);
        void** arguments = stackalloc void*[Count] { &cell, value };
        try
        {
            host.Call(HostFunction.Return, null, Count, arguments);
        }
        finally
        {
            Operands.Free(value);
        }
    }

    private void Failed(Operand12 cell, Exception exception)
    {
        try
        {
            Log.Write(exception.ToString());
            Hand(cell, CellGrid.Of(CellValue.Of(CellError.Value)));
        }
        catch (Exception) // no memory for so much: the cell goes on waiting until the next calculation
        {
        }
    }
}
