using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Hosting.RabbitMq;

/// <summary>A connection's.</summary>
internal sealed class IpcRabbitMqClientOptionsValidator : IpcRabbitMqOptionsValidator<IpcRabbitMqClientOptions>
{
    private protected override void Check(IpcRabbitMqClientOptions options, List<string> wrong)
    {
        CheckAddress(options, wrong);
        if (options.Rpc is not { } rpc)
        {
            wrong.Add("Rpc is null.");
            return;
        }

        CheckBroker(rpc, wrong);
        if (rpc.CallTimeout != Timeout.InfiniteTimeSpan)
            CheckSpan(
                "CallTimeout", rpc.CallTimeout, TimeSpan.Zero, TimeSpan.MaxValue, "not negative, but for none", wrong);
        CheckRange("MaxPendingCalls", rpc.MaxPendingCalls, 1, int.MaxValue, "calls", wrong);
        CheckRange("StreamWindow", rpc.StreamWindow, 1, ushort.MaxValue, "items", wrong);
        CheckSpan(
            "StreamLease", rpc.StreamLease, TimeSpan.FromSeconds(1), TimeSpan.FromHours(1), "a second to an hour",
            wrong);
        CheckRetry(rpc.Retry, wrong);
    }
}
