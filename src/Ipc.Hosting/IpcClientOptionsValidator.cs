using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Hosting;

/// <summary>A connection's.</summary>
internal sealed class IpcClientOptionsValidator : IpcOptionsValidator<IpcClientOptions>
{
    private protected override void Check(IpcClientOptions options, List<string> wrong)
    {
        if (string.IsNullOrWhiteSpace(options.Name))
            wrong.Add("A client names its server.");
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            Check(options.Rpc, wrong);
    }

    private static void Check(Rpc.RpcClientOptions rpc, List<string> wrong)
    {
        if (rpc.StreamWindow is < 1 or > ushort.MaxValue)
            wrong.Add("Rpc.StreamWindow is " + rpc.StreamWindow + "; it is 1 to 65535 items.");
        if (rpc.MaxPendingCalls < 1)
            wrong.Add("Rpc.MaxPendingCalls is " + rpc.MaxPendingCalls + "; at least one call has to be possible.");
        if (rpc.ConnectTimeout < TimeSpan.Zero && rpc.ConnectTimeout != Timeout.InfiniteTimeSpan)
            wrong.Add("Rpc.ConnectTimeout is " + rpc.ConnectTimeout + "; it cannot be negative.");
        if (rpc.CallTimeout < TimeSpan.Zero && rpc.CallTimeout != Timeout.InfiniteTimeSpan)
            wrong.Add("Rpc.CallTimeout is " + rpc.CallTimeout + "; it cannot be negative.");
        if (rpc.LoanBudget < 0)
            wrong.Add("Rpc.LoanBudget is " + rpc.LoanBudget + "; it cannot be negative.");
    }
}
