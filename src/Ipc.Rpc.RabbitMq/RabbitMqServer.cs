using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Serves contracts under a name at a broker, to clients on any machine. Any number of servers of one service
/// share its requests.</summary>
/// <remarks>
/// <para>The same services as an <see cref="RpcServer"/> has, and with the same threads, limits and interceptors: it
/// runs one within this process, and hands requests to it. A request is acknowledged after its handler has ended,
/// that of a stream when the stream has begun. If this process or its connection goes before that, the broker gives the
/// request to another server, and the handler finds <see cref="RabbitMqMarks.Redelivered"/> there.</para>
/// <para>To the queue <c>ipc.SERVICE.dead</c> go, with the reason in the header <c>ipc-reason</c>: messages that are no
/// requests, requests that were delivered too often, and one-way calls whose handler failed or could not decode
/// them.</para>
/// <para>It comes back by itself when the broker was lost. The user needs the rights to configure, write and read
/// <c>ipc.SERVICE</c>, <c>ipc.SERVICE.dead</c>, <c>ipc.SERVICE.cancel</c> and <c>amq.*</c>.</para>
/// </remarks>
/// <example><code>
/// await using RabbitMqServer server = await RabbitMqServer.StartAsync(
///     "amqp://me:secret@broker/trading/prices", QuotesRpc.Service(new Quotes()));
/// </code></example>
public sealed class RabbitMqServer : IAsyncDisposable
{
    private const int ItemsAhead = 64; // of a stream, from its handler: what its client has no credit for waits there

    private readonly Recovery<ServerLink> _recovery;
    private readonly RequestHandler _handler;
    private readonly Replies _replies;
    private readonly RpcServer _server;
    private readonly RpcClient _client;
    private readonly string _service;

    private RabbitMqServer(
        RabbitMqAddress address, RabbitMqServerOptions options, RpcServer server, RpcClient client)
    {
        _service = address.Service;
        _server = server;
        _client = client;
        _handler = new RequestHandler(client, options.DeadLettered, filter: null, options.Handled());
        _replies = new Replies(address, options);
        _recovery = new Recovery<ServerLink>(
            address, options, "server of",
            connection => new ServerLink(connection, address, options, _handler, _replies));
    }

    /// <summary>The name of the service at the broker.</summary>
    public string Name => _service;

    /// <summary>Whether there is a connection to the broker now.</summary>
    public bool IsConnected => _recovery.Link is not null;

    /// <summary>How many requests are being handled, calls with streams included.</summary>
    public int RequestsInHand => _recovery.Link?.InHand ?? 0;

    /// <summary>How many messages this server has put into the dead-letter queue.</summary>
    public long DeadLetters => _handler.DeadLetters;

    /// <summary>How many requests were answered without a handler, because this server had handled them
    /// (<see cref="RabbitMqServerOptions.RepetitionWindow"/>).</summary>
    public long Repetitions => _handler.Repetitions;

    /// <summary>Declares the service's queues and serves.</summary>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>.</param>
    /// <param name="services">What it serves.</param>
    /// <exception cref="ArgumentException">It is no such address; two methods have the same name or id.</exception>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unavailable"/>: no broker answers there;
    /// <see cref="RpcStatus.Unauthenticated"/>: it refuses the user, the password, the virtual host or what the server
    /// does there; <see cref="RpcStatus.FailedPrecondition"/>: the queues exist with another
    /// <see cref="RabbitMqServerOptions.QueueKind"/>.</exception>
    /// <exception cref="IpcException">The regions of the server within this process cannot be made.</exception>
    public static Task<RabbitMqServer> StartAsync(string address, params RpcService[] services)
        => StartAsync(address, null, services);

    /// <summary>The same with options. With <see cref="RabbitMqServerOptions.WaitForBroker"/> it starts without a
    /// broker, too.</summary>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <param name="services">What it serves.</param>
    /// <exception cref="ArgumentException">It is no such address; two methods have the same name or id.</exception>
    /// <exception cref="RpcCallException">As of the other overload.</exception>
    /// <exception cref="IpcException">The regions of the server within this process cannot be made.</exception>
    public static Task<RabbitMqServer> StartAsync(
        string address, RabbitMqServerOptions? options, params RpcService[] services)
        => StartAsync(address, options, services, CancellationToken.None);

    /// <summary>The same for who may have to give up while the broker is tried.</summary>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <param name="services">What it serves.</param>
    /// <param name="cancellationToken">Ends the attempt; nothing of the server is left then.</param>
    /// <exception cref="ArgumentException">It is no such address; two methods have the same name or id.</exception>
    /// <exception cref="RpcCallException">As of the other overloads.</exception>
    /// <exception cref="IpcException">The regions of the server within this process cannot be made.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    public static Task<RabbitMqServer> StartAsync(
        string address, RabbitMqServerOptions? options, RpcService[] services, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(services);
        RabbitMqAddress parsed = RabbitMqAddress.Parse(address);
        RabbitMqServerOptions copy = (options ?? new RabbitMqServerOptions()).Checked();
        string inner = "amqp-" + Guid.NewGuid().ToString("N");
        RpcServer server = RpcServer.Start(inner, copy.Handlers, services);
        try
        {
            return StartedAsync(
                new RabbitMqServer(
                    parsed, copy, server,
                    RpcClient.Connect(inner, ClientOptionsOf(copy), CancellationToken.None)), // within this process
                copy.WaitForBroker,
                cancellationToken);
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>Stops gracefully: takes no further requests, waits for those in hand and for streams, then stops. What
    /// is not acknowledged by then is delivered again, to another server; streams end with
    /// <see cref="RpcStatus.Unavailable"/>.</summary>
    /// <param name="timeout">How long to wait for handlers; then their tokens fire.</param>
    /// <param name="cancellationToken">Ends that wait earlier.</param>
    public async Task StopAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        Deadline until = Deadline.After(timeout);
        if (_recovery.Link is { } link)
            await link.StopAsync(until, cancellationToken).ConfigureAwait(false);
        while (_handler.Remembering > 0 && !until.HasPassed && !cancellationToken.IsCancellationRequested)
            await Task.Delay(5, CancellationToken.None).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Stops at once: the tokens of pending handlers fire, and the broker gives their requests to other
    /// servers. Streams end with <see cref="RpcStatus.Unavailable"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        _handler.IsStopping = true;
        if (_recovery.Link is { } link)
            await link.EndStreamsAsync().ConfigureAwait(false);
        await _recovery.DisposeAsync().ConfigureAwait(false);
        _client.Dispose();
        _replies.Dispose();
        await _server.DisposeAsync().ConfigureAwait(false);
    }

    private static RpcClientOptions ClientOptionsOf(RabbitMqServerOptions options)
    {
        RpcClientOptions client = new()
        {
            MaxPendingCalls = (int)Math.Min(int.MaxValue, Math.Max(options.Prefetch + (long)options.MaxStreams, 65536)),
            StreamWindow = ItemsAhead,
        };
        if (client.LoanBudget < 4L * options.MaxMessageBytes)
            client.LoanBudget = 4L * options.MaxMessageBytes;
        return client;
    }

    private static async Task<RabbitMqServer> StartedAsync(
        RabbitMqServer server, bool waits, CancellationToken cancellationToken)
    {
        try
        {
            if (!waits)
                await server._recovery.StartAsync(cancellationToken).ConfigureAwait(false);
            else
                await server._recovery.TriedAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
            if (waits && !server.IsConnected && server._recovery.Refusal is { } refusal)
                throw refusal;
            return server;
        }
        catch
        {
            await server.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
