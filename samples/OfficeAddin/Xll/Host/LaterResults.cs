using System;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin.Xll;

/// <summary>Results of functions that have returned before they had one: the host shows that the cell waits, goes on, and is handed the result.</summary>
/// <remarks>On threads of the pool. A host that has begun a new calculation meanwhile takes no result of the old one, and asks again.</remarks>
internal sealed class LaterResults(SpreadsheetHost host)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);
    private static readonly object UnderWay = new();
    private static int _count; // under UnderWay

    /// <summary>Hands the result over when there is one; when there is one already, after the calling function has returned.</summary>
    /// <param name="cell">What the host has given the function to name the cell by. It is copied.</param>
    /// <param name="result">It does not fail.</param>
    public unsafe void Send(void* cell, Task<CellGrid> result) => Send(cell, result, static grid => grid);

    public unsafe void Send(void* cell, Task<CellValue> result) => Send(cell, result, CellGrid.Of);

    /// <summary>Waits until no result is under way. The functions have been closed: it takes moments.</summary>
    public static void WaitForAll()
    {
        long until = Environment.TickCount64 + (long)Patience.TotalMilliseconds;
        lock (UnderWay)
        {
            for (long left = (long)Patience.TotalMilliseconds; _count != 0 && left > 0; left = until - Environment.TickCount64)
                Monitor.Wait(UnderWay, (int)left);
        }
    }

    private unsafe void Send<T>(void* cell, Task<T> result, Func<T, CellGrid> gridOf)
    {
        lock (UnderWay)
            _count++;
        _ = SendAsync(*(Operand12*)cell, result, gridOf);
    }

    private async Task SendAsync<T>(Operand12 cell, Task<T> result, Func<T, CellGrid> gridOf)
    {
        try
        {
            ConfigureAwaitOptions how = result.IsCompleted ? ConfigureAwaitOptions.ForceYielding : ConfigureAwaitOptions.None;
            Hand(cell, gridOf(await result.ConfigureAwait(how)));
        }
        catch (Exception exception)
        {
            Failed(cell, exception);
        }

        lock (UnderWay)
        {
            if (--_count == 0)
                Monitor.PulseAll(UnderWay);
        }
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
