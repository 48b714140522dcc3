using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// An answer to a client whose node has died: a broker of several nodes (RabbitMQ 3.10) cannot make sense of such an
// address, and ends the whole connection of whoever sends there, with 541. The request comes again, and the next answer
// does the same, to all servers, until it is poison; and all other requests of those connections come nearer to that
// each time. So who had an answer on its way when that happened is looked after before it gets another one, on a
// connection that may end for it.

/// <summary>Those whom answers go to, and who may not be there any more.</summary>
internal sealed class Replies(RabbitMqAddress address, RabbitMqOptions options) : IDisposable
{
    private const int Recent = 64, Most = 10_000;
    private const string InternalError = "541,";

    private static readonly TimeSpan _onTheWay = TimeSpan.FromSeconds(2);

    private readonly object _gate = new();
    private readonly (string? To, Deadline Until)[] _recent = new (string?, Deadline)[Recent];
    private readonly Dictionary<string, bool> _suspects = new(StringComparer.Ordinal); // whether it is known to be gone
    private readonly SemaphoreSlim _looking = new(1, 1);
    private int _next;

    /// <summary>Whether somebody gets the answer that is about to be sent.</summary>
    /// <exception cref="RpcCallException">The broker cannot be asked.</exception>
    public ValueTask<bool> IsThereAsync(string replyTo, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_suspects.Count == 0 || !_suspects.TryGetValue(replyTo, out bool isGone))
            {
                _recent[_next++ % Recent] = (replyTo, Deadline.After(_onTheWay));
                return new ValueTask<bool>(true);
            }

            if (isGone)
                return new ValueTask<bool>(false);
        }

        return LookedForAsync(replyTo, cancellationToken);
    }

    /// <summary>A connection has ended.</summary>
    /// <param name="reason">Why.</param>
    public void Ended(string reason)
    {
        if (!reason.StartsWith(InternalError, StringComparison.Ordinal))
            return;
        lock (_gate)
        {
            foreach ((string? to, Deadline until) in _recent)
            {
                if (to is not null && !until.HasPassed && _suspects.Count < Most)
                    _suspects.TryAdd(to, false);
            }

            Array.Clear(_recent);
        }
    }

    public void Dispose() => _looking.Dispose();

    private async ValueTask<bool> LookedForAsync(string replyTo, CancellationToken cancellationToken)
    {
        await _looking.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            lock (_gate)
            {
                if (!_suspects.TryGetValue(replyTo, out bool isGone) || isGone)
                    return !isGone; // somebody else has looked
            }

            IConnection connection = await Broker.ConnectAsync(
                address, options, "look after a client of", new Attempts(options), cancellationToken)
                .ConfigureAwait(false);
            bool isThere;
            try
            {
                IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken)
                    .ConfigureAwait(false);
                await channel.QueueDeclarePassiveAsync(replyTo, cancellationToken).ConfigureAwait(false);
                isThere = true;
            }
            catch (Exception e) when (Broker.IsOfBroker(e) && !cancellationToken.IsCancellationRequested)
            {
                isThere = false; // it says so, or ends the connection for it
            }
            finally
            {
                await Broker.CloseAsync(connection).ConfigureAwait(false);
            }

            lock (_gate)
            {
                if (isThere)
                    _suspects.Remove(replyTo);
                else
                    _suspects[replyTo] = true;
            }

            return isThere;
        }
        finally
        {
            _looking.Release();
        }
    }
}
