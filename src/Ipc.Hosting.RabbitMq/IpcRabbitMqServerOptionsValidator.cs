using System;
using System.Collections.Generic;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Hosting.RabbitMq;

/// <summary>A server's.</summary>
internal sealed class IpcRabbitMqServerOptionsValidator : IpcRabbitMqOptionsValidator<IpcRabbitMqServerOptions>
{
    private protected override void Check(IpcRabbitMqServerOptions options, List<string> wrong)
    {
        CheckAddress(options, wrong);
        if (options.DrainTimeout < TimeSpan.Zero)
            wrong.Add("DrainTimeout is " + options.DrainTimeout + "; it cannot be negative.");
        if (options.Rpc is not { } rpc)
        {
            wrong.Add("Rpc is null.");
            return;
        }

        CheckBroker(rpc, wrong);
        CheckRange("Prefetch", rpc.Prefetch, 1, ushort.MaxValue, "requests", wrong);
        CheckRange("StreamWindow", rpc.StreamWindow, 1, ushort.MaxValue, "items", wrong);
        CheckRange("MaxStreams", rpc.MaxStreams, 0, int.MaxValue, "streams", wrong);
        if (rpc.QueueKind is not (RabbitMqQueueKind.Quorum or RabbitMqQueueKind.Classic))
            wrong.Add("Rpc.QueueKind is " + rpc.QueueKind + "; it is Quorum or Classic.");
        CheckRange("MaxDeliveries", rpc.MaxDeliveries, 1, 20, "times", wrong);
        if (rpc.Handlers is { } handlers)
            CheckServer("Handlers.", handlers, wrong);
    }
}
