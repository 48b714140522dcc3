using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Options of a <see cref="RabbitMqImport"/>.</summary>
public sealed class RabbitMqImportOptions
{
    /// <summary>How it calls at the broker: timeouts, retries, whether calls wait for a server.</summary>
    public RabbitMqClientOptions Broker { get; set; } = new();

    /// <summary>The server on this machine: who may connect, limits. <see cref="RpcServerOptions.TakeOver"/> is always
    /// so, so that a second import takes the name of the first without a failed call.</summary>
    public RpcServerOptions Local { get; set; } = new();

    /// <summary>The methods that are offered here, each as <c>service/method</c>, or <c>service/*</c> for all of a
    /// service. Without any, all that the service has are.</summary>
    public IList<string> Methods { get; private set; } = new List<string>();

    /// <summary>How often the service is asked for its methods, while it is offered here: a later version may have
    /// others. A second at least. Default: 30 seconds.</summary>
    public TimeSpan Look { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Is told when it begins to serve, and why it does not; for a log. It runs on a thread of the pool, one
    /// call at a time. Nothing is tried again, and no disposal ends, before it returns.</summary>
    public Action<RabbitMqGatewayChange>? Changed { get; set; }

    /// <summary>A copy, with copies of the options in it.</summary>
    public RabbitMqImportOptions Copy()
    {
        RabbitMqImportOptions copy = (RabbitMqImportOptions)MemberwiseClone();
        copy.Broker = Broker.Copy();
        copy.Local = Local.Copy();
        copy.Methods = new List<string>(Methods);
        return copy;
    }

    internal RabbitMqImportOptions Checked()
    {
        if (Look < TimeSpan.FromSeconds(1) || Look > TimeSpan.FromDays(1))
            throw new ArgumentOutOfRangeException(nameof(Look), Look, nameof(Look) + " is a second to a day.");
        RabbitMqImportOptions copy = Copy();
        copy.Broker = Broker.Checked();
        copy.Local.TakeOver = OperatingSystem.IsLinux();
        return copy;
    }
}
