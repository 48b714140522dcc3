using System;
using System.Collections.Generic;

namespace Ipc.Hosting;

/// <summary>A server's.</summary>
internal sealed class IpcServerOptionsValidator : IpcOptionsValidator<IpcServerOptions>
{
    private protected override void Check(IpcServerOptions options, List<string> wrong)
    {
        CheckName(options.Name, "a server's", wrong);
        if (options.DrainTimeout < TimeSpan.Zero)
            wrong.Add("DrainTimeout is " + options.DrainTimeout + "; it cannot be negative.");
        if (options.Rpc is null)
            wrong.Add("Rpc is null.");
        else
            Check(options.Rpc, wrong);
    }

    private static void Check(Rpc.RpcServerOptions rpc, List<string> wrong)
    {
        CheckRange("MaxConnections", rpc.MaxConnections, 1, 4095, "clients", wrong);
        CheckRing("MaxRingCapacity", rpc.MaxRingCapacity, wrong);
        CheckRange("MaxLoanBudget", rpc.MaxLoanBudget, 0, 64L << 30, "bytes", wrong);
        CheckRange("MaxThreads", rpc.MaxThreads, 2, int.MaxValue, "threads: one that leads and one that can take over", wrong);
        CheckRange("MaxPendingCalls", rpc.MaxPendingCalls, 1, int.MaxValue, "calls", wrong);
        CheckRange("MaxUnsentBytes", rpc.MaxUnsentBytes, 1, long.MaxValue, "bytes", wrong);
        CheckRange("MaxHeldBytes", rpc.MaxHeldBytes, 1, long.MaxValue, "bytes", wrong);
        CheckRange("MaxConcurrentCalls", rpc.MaxConcurrentCalls, 0, int.MaxValue, "calls, 0 for any number", wrong);
        CheckRange("StreamWindow", rpc.StreamWindow, 32, ushort.MaxValue, "items", wrong);
    }
}
