using System;
using System.Collections.Generic;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Refuses at the start of the host what would be refused later, all of it at once.</summary>
internal sealed class IpcServerOptionsValidator : IValidateOptions<IpcServerOptions>
{
    public ValidateOptionsResult Validate(string? name, IpcServerOptions options)
    {
        var wrong = new List<string>();
        if (string.IsNullOrWhiteSpace(options.Name))
            wrong.Add("A server has a name.");
        if (options.DrainTimeout < TimeSpan.Zero)
            wrong.Add("DrainTimeout is " + options.DrainTimeout + "; it cannot be negative.");
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            Check(options.Rpc, wrong);
        return wrong.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(wrong);
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
