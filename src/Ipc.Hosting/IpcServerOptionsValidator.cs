using System;
using System.Collections.Generic;

namespace Ipc.Hosting;

/// <summary>A server's.</summary>
internal sealed class IpcServerOptionsValidator : IpcOptionsValidator<IpcServerOptions>
{
    private protected override void Check(IpcServerOptions options, List<string> wrong)
    {
        if (string.IsNullOrWhiteSpace(options.Name))
            wrong.Add("A server has a name.");
        if (options.DrainTimeout < TimeSpan.Zero)
            wrong.Add("DrainTimeout is " + options.DrainTimeout + "; it cannot be negative.");
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            Check(options.Rpc, wrong);
    }

    private static void Check(Rpc.RpcServerOptions rpc, List<string> wrong)
    {
        if (rpc.MaxConnections < 1)
            wrong.Add("Rpc.MaxConnections is " + rpc.MaxConnections + "; at least one client has to be possible.");
        if (rpc.MaxThreads < 2)
            wrong.Add("Rpc.MaxThreads is " + rpc.MaxThreads + "; a server needs at least two.");
        if (rpc.MaxPendingCalls < 1)
            wrong.Add("Rpc.MaxPendingCalls is " + rpc.MaxPendingCalls + "; at least one call has to be possible.");
        if (rpc.MaxLoanBudget < 0)
            wrong.Add("Rpc.MaxLoanBudget is " + rpc.MaxLoanBudget + "; it cannot be negative.");
    }
}
