using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Ipc.Rpc.RabbitMq;

// An answer to a client whose node has died: a broker of several nodes (RabbitMQ 3.10) cannot make sense of such an
// address, and ends the whole connection of whoever sends there, with 541. The request comes again, and the next answer
// does the same, to all servers, until it is poison; and all other requests of those connections come nearer to that
// each time. So who had an answer on its way when that happened is looked after before it gets another one, on a
// connection that may end for it.

// Only a broker that says so, or ends that connection for the question, makes a client one that has gone; and not for
// ever. While that cannot be found out, the answer waits, and its request is not acknowledged: it is handed to the next
// server, or to this one again, when the link ends that it came by.

/// <summary>Those whom answers go to, and who may not be there any more.</summary>
internal sealed class Replies(RabbitMqAddress address, RabbitMqOptions options) : IDisposable
{
    private const int Recent = 64, Most = 10_000;
    private const string InternalError = "541,";
    private const ushort NotFound = 404, Broken = 541, Locked = 405;

    private static readonly TimeSpan _onTheWay = TimeSpan.FromSeconds(2), _goneFor = TimeSpan.FromMinutes(10);

    private readonly object _gate = new();
    private readonly (string? To, Deadline Until)[] _recent = new (string?, Deadline)[Recent];
    // until when one is known to have gone; that has passed for those that are only suspected
    private readonly Dictionary<string, Deadline> _suspects = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _looking = new(1, 1);
    private int _next;

    /// <summary>Whether somebody gets the answer that is about to be sent.</summary>
    /// <exception cref="OperationCanceledException">The token fired before that was found out.</exception>
    public ValueTask<bool> IsThereAsync(string replyTo, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_suspects.Count == 0 || !_suspects.TryGetValue(replyTo, out Deadline goneUntil))
            {
                Note(replyTo);
                return new ValueTask<bool>(true);
            }

            if (!goneUntil.HasPassed)
                return new ValueTask<bool>(false);
        }

        return LookedForAsync(replyTo, cancellationToken);
    }

    /// <summary>An answer is about to be sent to somebody who was there a moment ago.</summary>
    public void Sends(string replyTo)
    {
        lock (_gate)
            Note(replyTo);
    }

    /// <summary>A connection has ended.</summary>
    /// <param name="reason">Why.</param>
    public void Ended(string reason)
    {
        if (!reason.StartsWith(InternalError, StringComparison.Ordinal))
            return;
        lock (_gate)
        {
            if (_suspects.Count > Most) // whoever has gone is found out anew
                _suspects.Clear();
            foreach ((string? to, Deadline until) in _recent)
            {
                if (to is not null && !until.HasPassed)
                    _suspects.TryAdd(to, Deadline.Now);
            }

            Array.Clear(_recent);
        }
    }

    public void Dispose() => _looking.Dispose();

    /// <summary>Under the lock.</summary>
    private void Note(string replyTo) => _recent[_next++ % Recent] = (replyTo, Deadline.After(_onTheWay));

    private async ValueTask<bool> LookedForAsync(string replyTo, CancellationToken cancellationToken)
    {
        await _looking.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            lock (_gate)
            {
                if (!_suspects.TryGetValue(replyTo, out Deadline goneUntil) || !goneUntil.HasPassed)
                    return !_suspects.ContainsKey(replyTo); // somebody else has looked
            }

            Attempts attempts = new(options);
            while (true)
            {
                if (await AskAsync(replyTo, attempts, cancellationToken).ConfigureAwait(false) is { } isThere)
                {
                    lock (_gate)
                    {
                        if (isThere)
                            _suspects.Remove(replyTo);
                        else
                            _suspects[replyTo] = Deadline.After(_goneFor);
                    }

                    return isThere;
                }

                await Task.Delay(attempts.NextPause(Random.Shared.NextDouble()), cancellationToken)
                    .ConfigureAwait(false);
            }
        }
        finally
        {
            _looking.Release();
        }
    }

    /// <returns><see langword="null"/>: that could not be found out.</returns>
    private async Task<bool?> AskAsync(string replyTo, Attempts attempts, CancellationToken cancellationToken)
    {
        IConnection connection;
        try
        {
            connection = await Broker.ConnectAsync(
                address, options, "look after a client of", attempts, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (RpcCallException)
        {
            return null;
        }

        try
        {
            IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken)
                .ConfigureAwait(false);
            await channel.QueueDeclarePassiveAsync(replyTo, cancellationToken).ConfigureAwait(false);
            return true;
        }
        catch (OperationInterruptedException e) when (e.ShutdownReason is { } reason)
        {
            // The client library says 541 of itself, too, when its network fails.
            bool isBrokers = reason.Initiator == ShutdownInitiator.Peer;
            return reason.ReplyCode switch
            {
                NotFound or Broken when isBrokers => false,
                Locked => true, // another connection's own queue
                _ => null,
            };
        }
        catch (Exception e) when (Broker.IsOfBroker(e) && !cancellationToken.IsCancellationRequested)
        {
            return null;
        }
        finally
        {
            await Broker.CloseAsync(connection).ConfigureAwait(false);
        }
    }
}
