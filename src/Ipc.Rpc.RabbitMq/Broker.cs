using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Connecting to a broker, and what its failures mean.</summary>
internal static class Broker
{
    private const uint MostOfAnyBroker = 512u << 20; // bytes
    private const ushort AccessRefused = 403, NotAllowed = 530, PreconditionFailed = 406, NotFound = 404;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _least = TimeSpan.FromMilliseconds(1);

    /// <summary>Connects to one of the nodes. They are tried in an order of chance, so that those that come back are
    /// spread over them; each has its share of the time, so that one that says nothing is passed over.</summary>
    /// <exception cref="RpcCallException">There is none, or it refuses.</exception>
    /// <exception cref="OperationCanceledException">The token fired.</exception>
    public static async Task<IConnection> ConnectAsync(
        RabbitMqAddress address,
        RabbitMqOptions options,
        string role,
        Attempts attempts,
        CancellationToken cancellationToken)
    {
        (string Host, int Port)[] nodes = [.. address.Nodes];
        Random.Shared.Shuffle(nodes);
        Deadline until = Deadline.After(attempts.Patience);
        for (int i = 0; ; i++)
        {
            TimeSpan share = until.Remaining / (nodes.Length - i);
            try
            {
                return await ConnectAsync(
                    nodes[i], share > _least ? share : _least, address, options, role, attempts, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (Exception e) when (IsOfBroker(e))
            {
                cancellationToken.ThrowIfCancellationRequested(); // whatever the end of the socket looks like
                RpcCallException failure = Failure(e, address, isUnsent: true);
                if (i == nodes.Length - 1 || failure.Status != RpcStatus.Unavailable)
                    throw failure;
            }
        }
    }

    private static async Task<IConnection> ConnectAsync(
        (string Host, int Port) node,
        TimeSpan time,
        RabbitMqAddress address,
        RabbitMqOptions options,
        string role,
        Attempts attempts,
        CancellationToken cancellationToken)
    {
        using CancellationTokenSource limited = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        TakenSocket? socket = null;
        ConnectionFactory factory = new()
        {
            UserName = address.User,
            Password = address.Password,
            VirtualHost = address.VirtualHost,
            // it stalls when the broker fails while it recovers, and it leaves calls waiting that nobody answers any
            // more: Recovery does it, and ends them
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedConnectionTimeout = time / 2, // of each of a name's two families: one may say nothing
            HandshakeContinuationTimeout = time,
            ContinuationTimeout = attempts.Patience, // while it is being opened: see BrokerLink.Serve
            SocketFactory = family => socket = new TakenSocket(
                new Socket(family, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true }),
            RequestedHeartbeat = options.Heartbeat,
            // a longer message than this would end the connection, and come again: a queue takes what its broker takes,
            // and MaxMessageBytes is looked at when it is here
            MaxInboundMessageBodySize = MostOfAnyBroker,
            ClientProvidedName = "ipc " + role + " " + address.Service,
        };
        AmqpTcpEndpoint endpoint = address.IsTls
            ? new AmqpTcpEndpoint(node.Host, node.Port, new SslOption(node.Host, enabled: true), MostOfAnyBroker)
            : new AmqpTcpEndpoint(node.Host, node.Port, new SslOption(), MostOfAnyBroker);
        limited.CancelAfter(time);
        using CancellationTokenRegistration givenUp = limited.Token.UnsafeRegister(_ => socket?.GiveUp(), null);
        try
        {
            return await factory.CreateConnectionAsync([endpoint], limited.Token).ConfigureAwait(false);
        }
        catch (Exception)
        {
            if (socket?.SinceTaken is { } took)
                attempts.NodeFailed(took, time);
            throw;
        }
    }

    /// <summary>Whether an exception is what the client or the network makes of a broker's failure.</summary>
    public static bool IsOfBroker(Exception e) =>
        e is RabbitMQClientException or IOException or SocketException or TimeoutException
            or OperationCanceledException or ObjectDisposedException;

    /// <summary>What its failure is for a call.</summary>
    /// <param name="failure">What was thrown.</param>
    /// <param name="address">The broker.</param>
    /// <param name="isUnsent">Whether the call was certainly not handled.</param>
    /// <param name="method">What was called; <see langword="null"/> for nothing yet.</param>
    public static RpcCallException Failure(
        Exception failure, RabbitMqAddress address, bool isUnsent, RpcMethod? method = null)
    {
        RpcStatus status = RpcStatus.Unavailable;
        string text = First(address.Broker) + " cannot be reached: " + failure.Message +
            " Check that it runs and that the address is right.";
        if (Find(failure, out AuthenticationFailureException? refused))
        {
            status = RpcStatus.Unauthenticated;
            text = First(address.Broker) + " refused the user or the password: " + refused.Message;
        }
        else if (Find(failure, out OperationInterruptedException? said) && said.ShutdownReason is { } reason)
        {
            text = First(address.Broker) + " said " + reason.ReplyCode + ", \"" + reason.ReplyText + "\".";
            status = reason.ReplyCode switch
            {
                AccessRefused or NotAllowed => RpcStatus.Unauthenticated,
                PreconditionFailed => RpcStatus.FailedPrecondition,
                NotFound => RpcStatus.NotFound,
                _ => RpcStatus.Unavailable,
            };
        }

        return RpcCallException.OfTransport(
            status, text, method, address.Peer, isUnsent: isUnsent, inner: failure);
    }

    /// <summary>Closes what may be closed already, without waiting for a broker that does not answer.</summary>
    public static async Task CloseAsync(IConnection connection)
    {
        // the client waits for what it still has to send, past its own timeout; it goes on by itself
        await Task.WhenAny(ClosedAsync(connection), Task.Delay(_patience + _patience)).ConfigureAwait(false);
    }

    private static async Task ClosedAsync(IConnection connection)
    {
        try
        {
            await connection.CloseAsync(
                200, "Goodbye", _patience, abort: true, CancellationToken.None).ConfigureAwait(false);
            await connection.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // it is gone, whatever the client says of it; nobody waits for this for ever
        catch (Exception)
#pragma warning restore CA1031
        {
            // another one is opened, or none
        }
    }

    public static string First(string text) => char.ToUpperInvariant(text[0]) + text[1..];

    private static bool Find<T>(Exception? failure, [NotNullWhen(true)] out T? found)
        where T : Exception
    {
        for (; failure is not null; failure = failure.InnerException)
        {
            if (failure is T hit)
            {
                found = hit;
                return true;
            }

            if (failure is AggregateException { InnerExceptions: { Count: > 1 } several })
            {
                foreach (Exception each in several)
                {
                    if (Find(each, out found))
                        return true;
                }
            }
        }

        found = null;
        return false;
    }
}
