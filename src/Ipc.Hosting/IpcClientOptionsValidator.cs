using System;
using System.Collections.Generic;
using System.Threading;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Refuses at the start of the host what would be refused later, all of it at once.</summary>
internal sealed class IpcClientOptionsValidator : IValidateOptions<IpcClientOptions>
{
    public ValidateOptionsResult Validate(string? name, IpcClientOptions options)
    {
        var wrong = new List<string>();
        if (string.IsNullOrWhiteSpace(options.Name))
            wrong.Add("A client names its server.");
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            Check(options.Rpc, wrong);
        return wrong.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(wrong);
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
