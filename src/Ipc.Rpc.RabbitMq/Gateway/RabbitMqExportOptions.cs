using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Options of a <see cref="RabbitMqExport"/>.</summary>
public sealed class RabbitMqExportOptions
{
    /// <summary>How it is at the broker: limits, kind of the queues, who is told of dead letters. Its
    /// <see cref="RabbitMqServerOptions.Handlers"/> have no effect, because the handlers are another program's, and
    /// <see cref="RabbitMqServerOptions.WaitForBroker"/> is always so.</summary>
    public RabbitMqServerOptions Broker { get; set; } = new();

    /// <summary>How it calls the server on this machine. <see cref="RpcClientOptions.AutoReconnect"/> and
    /// <see cref="RpcClientOptions.WaitForReady"/> are always so, and there are no callbacks.</summary>
    public RpcClientOptions Local { get; set; } = new();

    /// <summary>The methods that may be called, each as <c>service/method</c>, or <c>service/*</c> for all of a
    /// service; others fail with <see cref="RpcStatus.PermissionDenied"/>, and are not listed. Without any, all
    /// may be called: also those that the server gets in a later version.</summary>
    public IList<string> Methods { get; private set; } = new List<string>();

    /// <summary>How long requests may wait here when the server on this machine has gone. One that is restarted
    /// within this time takes them; if none comes, this end goes from the broker until one does, and the broker gives
    /// the requests to others. Default: 2 seconds.</summary>
    public TimeSpan Grace { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>Is told when it begins to serve, and why it does not; for a log. It runs on a thread of the pool, one
    /// call at a time. Nothing is tried again, and no disposal ends, before it returns.</summary>
    public Action<RabbitMqGatewayChange>? Changed { get; set; }

    /// <summary>A copy, with copies of the options in it.</summary>
    public RabbitMqExportOptions Copy()
    {
        RabbitMqExportOptions copy = (RabbitMqExportOptions)MemberwiseClone();
        copy.Broker = Broker.Copy();
        copy.Local = Local.Copy();
        copy.Methods = new List<string>(Methods);
        return copy;
    }

    internal RabbitMqExportOptions Checked()
    {
        if (Grace < TimeSpan.Zero || Grace > TimeSpan.FromHours(1))
            throw new ArgumentOutOfRangeException(
                nameof(Grace), Grace, nameof(Grace) + " is not negative, and an hour at most.");
        RabbitMqExportOptions copy = Copy();
        copy.Broker = Broker.Checked();
        copy.Local.AutoReconnect = true;
        copy.Local.WaitForReady = true;
        copy.Local.Services.Clear();
        copy.Local.MaxPendingCalls = (int)Math.Min(
            int.MaxValue, Math.Max(Broker.Prefetch + (long)Broker.MaxStreams, copy.Local.MaxPendingCalls));
        copy.Local.LoanBudget = Math.Max(copy.Local.LoanBudget, 4L * Broker.MaxMessageBytes);
        return copy;
    }
}
