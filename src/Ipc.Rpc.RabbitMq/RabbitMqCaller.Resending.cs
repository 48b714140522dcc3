using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <content>One-way calls that have been made before, perhaps by another process.</content>
public sealed partial class RabbitMqCaller
{
    /// <summary>With what the broker was learned to take.</summary>
    internal RabbitMqClientOptions Options => _options;

    /// <summary>Sends a one-way call until the broker has confirmed it: it waits for the broker, and for the first
    /// server of the service, however long that takes.</summary>
    /// <param name="request">The call.</param>
    /// <param name="mayBeSent">Whether it may have been sent before.</param>
    /// <param name="troubled">Is told what holds it up.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="RpcCallException">It can never be sent: it is too large.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    internal async Task ResendAsync(
        Outgoing request, bool mayBeSent, Action<string> troubled, CancellationToken cancellationToken)
    {
        TimeSpan pause = _options.FirstPause;
        while (true)
        {
            if (request.Body.Length > _options.MostOfBroker) // this end's own limit was looked at before
                throw TooLarge(request.Method, request.Body.Length, isUnsent: !mayBeSent);
            try
            {
                await _recovery.TriedAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
                if (_recovery.Link is null)
                    troubled(_recovery.Missing(request.Method).Message);
                ClientLink link = await _recovery.NextAsync(cancellationToken).ConfigureAwait(false);
                await link.NotifyAsync(request, mayBeSent ? 2 : 1, Deadline.Never, cancellationToken)
                    .ConfigureAwait(false);
                return;
            }
            catch (RpcCallException e)
            {
                mayBeSent |= !e.IsUnsent;
                troubled(e.Message);
            }

            await Task.Delay(pause, cancellationToken).ConfigureAwait(false);
            pause = Longer(pause, _longestLook);
        }
    }
}
