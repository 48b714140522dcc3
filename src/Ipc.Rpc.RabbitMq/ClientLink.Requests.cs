using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Rpc.RabbitMq;

// How a request gets to the queue, and how its call learns that it did not.
internal sealed partial class ClientLink
{
    private readonly Dictionary<ulong, Action<RpcCallException>> _unconfirmed = []; // also its lock

    /// <summary>Waits until nobody else sends: <see cref="PublishAsync"/> lets the next one.</summary>
    private async Task TakeTurnAsync(RpcMethod method, CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false);
        if (!HasEnded)
            return;
        _sending.Release();
        throw Failed(method, RpcStatus.Unavailable, Lost(await Ended.ConfigureAwait(false)), isUnsent: true);
    }

    /// <summary>Publishes, and lets the next one. Throws nothing.</summary>
    private async Task PublishAsync(
        BasicProperties properties, byte[] body, Action<RpcCallException> fail)
    {
        ulong number = 0;
        try
        {
            number = await ExpectConfirmAsync(fail).ConfigureAwait(false);
            await _requests.BasicPublishAsync(
                string.Empty, Address.WorkQueue, mandatory: true, properties, body,
                CancellationToken.None).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the client throws; the call's
        catch (Exception e)
#pragma warning restore CA1031
        {
            Unexpect(number);
            fail(Failed(
                null, RpcStatus.Unavailable, Lost(e.Message) + " Whether the call was handled is not known.",
                inner: e));
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Of the message that whoever has the turn publishes next: what a refusal calls.</summary>
    private async ValueTask<ulong> ExpectConfirmAsync(Action<RpcCallException> fail)
    {
        ulong number = await _requests.GetNextPublishSequenceNumberAsync(CancellationToken.None).ConfigureAwait(false);
        lock (_unconfirmed)
            _unconfirmed[number] = fail;
        return number;
    }

    private void Unexpect(ulong number)
    {
        lock (_unconfirmed)
            _unconfirmed.Remove(number);
    }

    private Task OnConfirmed(object sender, BasicAckEventArgs message)
    {
        Settle(message.DeliveryTag, message.Multiple, null);
        return Task.CompletedTask;
    }

    private Task OnRefused(object sender, BasicNackEventArgs message)
    {
        Settle(
            message.DeliveryTag,
            message.Multiple,
            Failed(
                null, RpcStatus.Unavailable,
                Broker.First(Address.Broker) + " did not take a message of the call (it sent a negative confirm): " +
                "its queue may have no leader now, or be full. Whether the call is handled is not known."));
        return Task.CompletedTask;
    }

    /// <summary>The client's thread, as for what follows.</summary>
    private void Settle(ulong number, bool withEarlier, RpcCallException? failure)
    {
        List<Action<RpcCallException>>? refused = null;
        lock (_unconfirmed)
        {
            if (!withEarlier)
            {
                if (_unconfirmed.Remove(number, out Action<RpcCallException>? one) && failure is not null)
                    (refused ??= []).Add(one);
            }
            else
            {
                foreach ((ulong each, Action<RpcCallException> fail) in _unconfirmed)
                {
                    if (each > number)
                        continue;
                    _unconfirmed.Remove(each);
                    if (failure is not null)
                        (refused ??= []).Add(fail);
                }
            }
        }

        refused?.ForEach(fail => fail(failure!));
    }
}
