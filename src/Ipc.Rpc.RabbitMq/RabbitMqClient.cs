using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A connection to a broker, for calls of one service, wherever its servers are.</summary>
/// <remarks>
/// <para>It comes back by itself when the broker was lost, after pauses that grow and differ from client to client.
/// Calls that were under way end with <see cref="RpcStatus.Unavailable"/>: whether they were handled is not known
/// (<see cref="RpcCallException.IsUnsent"/> is <see langword="false"/>), and those of methods that may be called twice
/// are repeated if <see cref="RabbitMqClientOptions.Retry"/> says so. Calls without a connection fail at once with the
/// same status and <see cref="RpcCallException.IsUnsent"/>, or wait
/// (<see cref="RabbitMqClientOptions.WaitForReady"/>).</para>
/// <para>Any number of threads may use it at once.</para>
/// </remarks>
/// <example><code>
/// await using RabbitMqClient client = await RabbitMqClient.ConnectAsync("amqp://me:secret@broker/trading/prices");
/// IQuotes quotes = client.For&lt;IQuotes&gt;();
/// </code></example>
public sealed class RabbitMqClient : IAsyncDisposable, IDisposable
{
    private readonly Recovery<ClientLink> _recovery;

    private RabbitMqClient(RabbitMqAddress address, RabbitMqClientOptions options)
    {
        _recovery = new Recovery<ClientLink>(
            address, options, "client of", connection => new ClientLink(connection, address, options));
        Caller = new RabbitMqCaller(
            _recovery, address, options, new CallTerms { Timeout = options.CallTimeout });
    }

    /// <summary>Makes the calls.</summary>
    public RabbitMqCaller Caller { get; }

    /// <summary>Whether there is a connection to the broker now.</summary>
    public bool IsConnected => _recovery.Link is not null;

    /// <summary>Connects.</summary>
    /// <param name="address"><c>amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE</c>, or <c>amqps</c> for TLS with a
    /// certificate that this machine trusts for the host. Without user and password <c>guest</c>, without port 5672
    /// (5671), without virtual host <c>/</c>. A <c>/</c> within a name is written <c>%2F</c>. A broker of several nodes
    /// may have them all, <c>HOST:PORT,HOST:PORT</c>: each connection goes to one of those that can be reached, chosen
    /// at random.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="ArgumentException">It is no such address.</exception>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unavailable"/>: no broker answers there;
    /// <see cref="RpcStatus.Unauthenticated"/>: it refuses the user, the password or the virtual host, or the user may
    /// not declare the service's exchange for cancellations.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    public static Task<RabbitMqClient> ConnectAsync(
        string address, RabbitMqClientOptions? options = null, CancellationToken cancellationToken = default)
        => StartedAsync(Create(address, options), cancellationToken);

    /// <summary>A client that connects with its first call, which waits for that attempt. If it fails, the call fails
    /// with the same status, or waits (<see cref="RabbitMqClientOptions.WaitForReady"/>), and the client goes on as
    /// after the loss of a connection.</summary>
    /// <param name="address">As of <see cref="ConnectAsync"/>.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentException">It is no such address, or an option is out of its range.</exception>
    public static RabbitMqClient Create(string address, RabbitMqClientOptions? options = null)
        => new(RabbitMqAddress.Parse(address), (options ?? new RabbitMqClientOptions()).Checked());

    /// <summary>Connects, if there is no connection. It waits for the first attempt of this client, and for further
    /// ones as long as <paramref name="timeout"/> lets it, unless the broker refused the last one.</summary>
    /// <param name="timeout">How long to wait after the first attempt;
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/> is for ever. With zero it fails with what the last
    /// attempt has failed with.</param>
    /// <param name="cancellationToken">Ends the wait; the attempts go on.</param>
    /// <exception cref="RpcCallException">As of <see cref="ConnectAsync"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed before or during the wait.</exception>
    public Task EnsureConnectedAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        return _recovery.LinkAsync(timeout, cancellationToken);
    }

    /// <summary>How many servers consume the service's queue, as the broker says. It connects if there is no
    /// connection, as <see cref="EnsureConnectedAsync"/> with no timeout does. A server whose machine went is counted
    /// until the broker has noticed.</summary>
    /// <returns>Their number; 0, too, if the queue does not exist.</returns>
    /// <exception cref="RpcCallException">As of <see cref="ConnectAsync"/>; <see cref="RpcStatus.Unavailable"/> also
    /// when the broker does not answer within <see cref="RabbitMqOptions.ConnectTimeout"/>.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered.</exception>
    /// <exception cref="ObjectDisposedException">The client was disposed.</exception>
    public async Task<int> CountServersAsync(CancellationToken cancellationToken = default)
    {
        ClientLink link = await _recovery.LinkAsync(TimeSpan.Zero, cancellationToken).ConfigureAwait(false);
        return await link.CountAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>A proxy of the contract, as <see cref="RpcClient.For{TContract}"/> makes one.</summary>
    /// <exception cref="InvalidOperationException">The contract is not registered; the text says what to
    /// do.</exception>
    public TContract For<TContract>()
        where TContract : class
        => Caller.For<TContract>();

    /// <summary>Closes the connection. Calls that are under way fail with <see cref="RpcStatus.Unavailable"/>, and the
    /// servers of streams are told, as far as that is possible within a second; later ones throw
    /// <see cref="ObjectDisposedException"/>. At most a few seconds.</summary>
    public ValueTask DisposeAsync() => _recovery.DisposeAsync();

    /// <summary>As <see cref="DisposeAsync"/>, and blocks until it is done.</summary>
    public void Dispose() => Task.Run(async () => await DisposeAsync().ConfigureAwait(false)).GetAwaiter().GetResult();

    private static async Task<RabbitMqClient> StartedAsync(RabbitMqClient client, CancellationToken cancellationToken)
    {
        try
        {
            await client._recovery.StartAsync(cancellationToken).ConfigureAwait(false);
            return client;
        }
        catch
        {
            await client.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
