namespace OfficeAddin.Xll;

/// <summary>Values that the host fetches when they change: it remembers which cell has asked for which, and asks a server of its kind (RTD).</summary>
/// <param name="host">The host.</param>
/// <param name="server">The name under which it finds the server.</param>
internal sealed unsafe class LiveValues(SpreadsheetHost host, string server)
{
    /// <summary>The value of the cell that is being calculated, which the host calculates again when the value changes. On the host's main thread.</summary>
    /// <returns><see langword="null"/> when the host refuses.</returns>
    public CellValue? Get(string service, string id, string field)
    {
        Operands operands = host.Operands;
        const int Count = 5;
        void** arguments = stackalloc void*[Count];
        void* result = operands.Blank();
        int made = 0;
        try
        {
            foreach (string word in (System.ReadOnlySpan<string>)[server, "", service, id, field])
                arguments[made++] = operands.Argument(CellValue.Of(word));
            if (!host.Call(HostFunction.LiveValue, result, Count, arguments))
                return null;
            CellValue? value = operands.Read(result)?[0, 0];
            host.Call(HostFunction.Free, null, 1, &result);
            return value;
        }
        finally
        {
            while (made > 0)
                Operands.Free(arguments[--made]);
            Operands.Free(result);
        }
    }
}
