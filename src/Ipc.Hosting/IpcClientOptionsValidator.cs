using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Hosting;

/// <summary>A connection's.</summary>
internal sealed class IpcClientOptionsValidator : IpcOptionsValidator<IpcClientOptions>
{
    private protected override void Check(IpcClientOptions options, List<string> wrong)
    {
        CheckName(options.Name, "a server's", wrong);
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            Check(options.Rpc, wrong);
    }

    private static void Check(Rpc.RpcClientOptions rpc, List<string> wrong)
    {
        CheckTime("ConnectTimeout", rpc.ConnectTimeout, wrong);
        CheckTime("CallTimeout", rpc.CallTimeout, wrong);
        CheckRing("ToServerCapacity", rpc.ToServerCapacity, wrong);
        CheckRing("ToClientCapacity", rpc.ToClientCapacity, wrong);
        CheckRange("LoanBudget", rpc.LoanBudget, 0, 64L << 30, "bytes", wrong);
        CheckRange("StreamWindow", rpc.StreamWindow, 1, ushort.MaxValue, "items", wrong);
        CheckRange("MaxPendingCalls", rpc.MaxPendingCalls, 1, int.MaxValue, "calls", wrong);
        CheckRange("Hello.Length", rpc.Hello.Length, 0, 240, "bytes", wrong);
        CheckRetry(rpc.Retry, wrong);
        CheckRange("MaxUnsentBytes", rpc.MaxUnsentBytes, 1, long.MaxValue, "bytes", wrong);
        CheckRange("MaxQueuedBytes", rpc.MaxQueuedBytes, 0, long.MaxValue, "bytes", wrong);
        CheckRange("MaxHeldBytes", rpc.MaxHeldBytes, 1, long.MaxValue, "bytes", wrong);
    }

    private static void CheckTime(string name, TimeSpan value, List<string> wrong)
    {
        if (value < TimeSpan.Zero && value != Timeout.InfiniteTimeSpan)
            wrong.Add("Rpc." + name + " is " + value + "; it cannot be negative.");
    }
}
