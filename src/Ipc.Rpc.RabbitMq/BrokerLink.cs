using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Rpc.RabbitMq;

/// <summary>One connection to the broker, from the first channel to its end. It does not come back: a new one
/// does.</summary>
internal abstract class BrokerLink
{
    private readonly TaskCompletionSource<string> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<IChannel> _channels = [];

    private protected BrokerLink(IConnection connection, RabbitMqAddress address)
    {
        Connection = connection;
        Address = address;
        connection.ConnectionShutdownAsync += OnShutdown;
    }

    public RabbitMqAddress Address { get; }

    /// <summary>Completes with the reason when the connection, or a channel of it, has ended.</summary>
    public Task<string> Ended => _ended.Task;

    public bool HasEnded => _ended.Task.IsCompleted;

    private protected IConnection Connection { get; }

    /// <summary>Declares and consumes what it needs.</summary>
    public abstract Task OpenAsync(CancellationToken cancellationToken);

    /// <summary>It is open: from now on an answer of the broker may take so long.</summary>
    public void Serve(TimeSpan patience)
    {
        foreach (IChannel channel in _channels)
            channel.ContinuationTimeout = patience;
    }

    /// <summary>Ends what was under way. Once, after <see cref="Ended"/>.</summary>
    public abstract void Fail(string reason);

    /// <summary>Tells others, as far as that is possible in a moment, that this end goes.</summary>
    public virtual Task LeaveAsync() => Task.CompletedTask;

    /// <summary>Gives the connection up.</summary>
    public void End(string reason) => _ended.TrySetResult(reason);

    public Task CloseAsync() => Broker.CloseAsync(Connection);

    /// <summary>A channel whose end is the link's: what was sent on it is lost with it.</summary>
    private protected async Task<IChannel> OpenChannelAsync(Confirms confirms, CancellationToken cancellationToken)
    {
        IChannel channel = await Connection.CreateChannelAsync(
            new CreateChannelOptions(
                confirms != Confirms.None, confirms == Confirms.Awaited, consumerDispatchConcurrency: 1),
            cancellationToken).ConfigureAwait(false);
        channel.ChannelShutdownAsync += OnShutdown;
        _channels.Add(channel);
        return channel;
    }

    private Task OnShutdown(object sender, ShutdownEventArgs reason)
    {
        End(reason.ReplyCode + ", \"" + reason.ReplyText + "\"");
        return Task.CompletedTask;
    }
}
