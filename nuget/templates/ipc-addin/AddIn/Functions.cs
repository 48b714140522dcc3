using System.Collections.Generic;

namespace IpcAddin._1;

/// <summary>
/// The functions of the sheet: Excel-DNA makes one of each public static method of this project, so all else in it is internal. Text, numbers and tables (object[,]) come and go;
/// an exception is #VALUE! in the cell. Excel waits for each of them.
/// </summary>
public static class Functions
{
    /// <summary>=IpcPrice("ACME")</summary>
    public static double IpcPrice(string symbol) => Service.Prices.Get(symbol);

    /// <summary>=IpcPrices(A1:A9): a price for each cell, in one call.</summary>
    public static object[,] IpcPrices(object[,] symbols)
    {
        int rows = symbols.GetLength(0), columns = symbols.GetLength(1);
        List<string> names = new();
        foreach (object symbol in symbols)
            names.Add(symbol.ToString() ?? "");
        IReadOnlyList<double> prices = Service.Prices.GetMany(names);
        object[,] result = new object[rows, columns];
        for (int i = 0; i < names.Count; i++)
            result[i / columns, i % columns] = prices[i];
        return result;
    }

    /// <summary>=IpcStatus(): whether the service is there.</summary>
    public static string IpcStatus() => Service.Status;
}
