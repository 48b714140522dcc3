namespace OfficeAddin.Xll;

/// <summary>Escape, for which Excel can be asked on its main thread while a function is calculated.</summary>
internal sealed unsafe class UserBreak(SpreadsheetHost host) : IUserBreak
{
    public bool IsPossible => host.IsExcel12 && AddIn.IsOnMainThread;

    /// <summary>Only asked for, not taken away: the user wants the whole calculation to end, and Excel forgets the key when it has.</summary>
    public bool HasCome()
    {
        void* result = host.Operands.Blank();
        try
        {
            return host.Call(HostFunction.Abort, result, 0, null) && host.Operands.Read(result) is { } answer && answer[0, 0].Boolean;
        }
        finally
        {
            Operands.Free(result);
        }
    }
}
