using System;
using System.Diagnostics;

namespace Ipc.Rpc;

/// <summary>What user code throws where no call is left, or none was ever, whose failure it could be: listeners,
/// interceptors behind a call, hooks.</summary>
internal static class Stray
{
    /// <summary>Traces it. Throws nothing, whatever the exception and the listeners of the trace do.</summary>
    public static void Report(string what, RpcMethod? method, Exception e)
    {
        try
        {
            Trace.TraceError(
                "{0}{1}: {2}", what, method is null ? string.Empty : " (" + method.FullName + ")", ErrorText.Whole(e));
        }
#pragma warning disable CA1031 // a listener of the trace: there is nobody left to tell
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }
}
