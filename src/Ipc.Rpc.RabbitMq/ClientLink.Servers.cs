using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Ipc.Rpc.RabbitMq;

// Whether there are servers. Their queue may be missing, because none has ever run; or be there without them.
internal sealed partial class ClientLink
{
    private readonly object _looking = new();
    private Task<long>? _look; // the last one
    private long _heardAt; // when it was last known that somebody consumes; 0 if that is not known
    private bool _hasNoQueue; // by the last that was heard of it

    private bool WasHeardLately
        => Volatile.Read(ref _heardAt) is var heard && heard != 0
            && Environment.TickCount64 - heard < _silence.TotalMilliseconds;

    private string Nobody => "Nobody consumes the queue " + Address.WorkQueue + " at " + Address.Broker +
        ". Start a server of the service, or let calls wait for one (" + nameof(RabbitMqClientOptions) + "." +
        nameof(RabbitMqClientOptions.WaitForReady) + ").";

    private RpcCallException NoQueue(RpcMethod? method, Exception? inner = null)
    {
        Volatile.Write(ref _heardAt, 0);
        Volatile.Write(ref _hasNoQueue, true);
        return Failed(
            method, RpcStatus.Unavailable,
            "There is no queue " + Address.WorkQueue + " at " + Address.Broker + ": no server of the service has run " +
            "there yet. Start one, or let calls wait for one (" + nameof(RabbitMqClientOptions) + "." +
            nameof(RabbitMqClientOptions.WaitForReady) + ").",
            isUnsent: true,
            inner);
    }

    /// <summary>Before a call after a silence: a request would wait in the queue for a server that does not come, or be
    /// dropped by a queue that is being made.</summary>
    /// <exception cref="RpcCallException">There is none. Nothing was sent: who waits for one looks again.</exception>
    private async Task LookForServersAsync(RpcMethod method, CancellationToken cancellationToken)
    {
        if (WasHeardLately)
            return;
        Task<long> look;
        lock (_looking)
            look = _look = _look is { IsCompleted: false } ? _look : LookAsync(); // one for all who ask meanwhile
        if (await look.WaitAsync(cancellationToken).ConfigureAwait(false) == 0)
            throw Failed(method, RpcStatus.Unavailable, Nobody, isUnsent: true);
    }

    /// <returns>As of <see cref="CountServersAsync"/>.</returns>
    private async Task<long> LookAsync()
    {
        using CancellationTokenSource limited = new(_options.ConnectTimeout);
        try
        {
            return await CountServersAsync(limited.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return long.MaxValue; // the heartbeat tells whether the broker is alive
        }
    }

    /// <summary>How many servers consume the queue.</summary>
    /// <exception cref="RpcCallException">That could not be learned.</exception>
    public async Task<int> CountAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenSource limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limited.CancelAfter(_options.ConnectTimeout);
        try
        {
            long servers = await CountServersAsync(limited.Token).ConfigureAwait(false);
            if (servers <= int.MaxValue)
                return (int)servers;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // below
        }

        throw Failed(
            null, RpcStatus.Unavailable,
            Broker.First(Address.Broker) + " does not say how many servers consume the queue " + Address.WorkQueue +
            (HasEnded ? ": the connection was lost." : ", within ConnectTimeout of " + _options.ConnectTimeout + "."),
            isUnsent: true);
    }

    /// <returns>How many servers consume the queue; any number if that could not be learned.</returns>
    private async Task<long> CountServersAsync(CancellationToken cancellationToken)
    {
        try
        {
            // of its own: the broker closes it when there is no such queue
            IChannel asking = await Connection.CreateChannelAsync(
                cancellationToken: cancellationToken).ConfigureAwait(false);
            await using (asking.ConfigureAwait(false))
            {
                QueueDeclareOk queue = await asking.QueueDeclarePassiveAsync(
                    Address.WorkQueue, cancellationToken).ConfigureAwait(false);
                if (queue.ConsumerCount > 0)
                {
                    Volatile.Write(ref _hasNoQueue, false);
                    Volatile.Write(ref _heardAt, Environment.TickCount64);
                }

                return queue.ConsumerCount;
            }
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason?.ReplyCode == 404)
        {
            return 0;
        }
        catch (Exception e) when (e is not OperationCanceledException && Broker.IsOfBroker(e))
        {
            return long.MaxValue; // the call itself will tell
        }
    }
}
