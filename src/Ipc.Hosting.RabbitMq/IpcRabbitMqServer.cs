using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting.RabbitMq;

/// <summary>A server that serves at a broker while its host runs. To be asked for by the name that it was added with,
/// as key.</summary>
/// <remarks>
/// <para>When the broker is lost it comes back by itself. The options say what a host does that starts without
/// one.</para>
/// <para>When the host stops it takes no further requests, and waits for those in hand as long as
/// <see cref="IpcRabbitMqServerOptions.DrainTimeout"/> and the host allow; then their tokens fire, and the broker gives
/// them to another server.</para>
/// </remarks>
public sealed class IpcRabbitMqServer : IHostedService, IDisposable, IAsyncDisposable
{
    private readonly IServiceProvider _provider;
    private readonly IpcRabbitMqServerOptions _options;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _ending = new(); // a start that is under way ends, too
    private Task<RabbitMqServer>? _starting; // the last attempt
    private RabbitMqServer? _server;
    private string _services = string.Empty;
    private string? _trouble = "the host has not started it";
    private int _state;

    internal IpcRabbitMqServer(
        IServiceProvider provider, string name, IpcRabbitMqServerOptions options, ILogger logger)
    {
        _provider = provider;
        Name = name;
        Address = options.Shown();
        _options = options;
        _logger = logger;
    }

    /// <summary>What it was added as.</summary>
    public string Name { get; }

    /// <summary>Where it serves, without user and password.</summary>
    public string Address { get; }

    /// <summary>What it is doing. It is <see cref="IpcServerState.Starting"/> until a broker is there, and
    /// <see cref="IpcServerState.Serving"/> from then on, also while the broker is lost
    /// (<see cref="IsConnected"/>).</summary>
    public IpcServerState State => (IpcServerState)Volatile.Read(ref _state);

    /// <summary>Whether it is connected to the broker.</summary>
    public bool IsConnected => Volatile.Read(ref _server)?.IsConnected ?? false;

    /// <summary>How many requests are being handled, and streams sent.</summary>
    public int RequestsInHand => Volatile.Read(ref _server)?.RequestsInHand ?? 0;

    /// <summary>How many messages it has put into the dead-letter queue.</summary>
    public long DeadLetters => Volatile.Read(ref _server)?.DeadLetters ?? 0;

    /// <summary>Why it is not connected; <see langword="null"/> while it is.</summary>
    internal string? Trouble => Volatile.Read(ref _trouble);

    /// <summary>Declares the service's queues and serves. It makes one attempt to connect, which takes
    /// <see cref="RabbitMqOptions.ConnectTimeout"/> at most.</summary>
    /// <exception cref="RpcCallException">As of
    /// <see cref="RabbitMqServer.StartAsync(string, RabbitMqServerOptions?, RpcService[])"/>.</exception>
    /// <exception cref="IpcException">The regions of the server within this process cannot be made.</exception>
    /// <exception cref="InvalidOperationException">It has been started before.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was triggered, or it was
    /// stopped or disposed while it connected.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (!Changes(IpcServerState.NotStarted, IpcServerState.Starting))
            throw new InvalidOperationException("The server " + Name + " has been started before.");

        try
        {
            RpcService[] services = _provider.GetKeyedServices<IpcServiceFactory>(Name)
                .Select(factory => factory.Make(_provider)).ToArray();
            _services = string.Join(", ", services.Select(static service => service.Name));
            using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(
                cancellationToken, _ending.Token);
            Task<RabbitMqServer> starting = RabbitMqServer.StartAsync(
                _options.Full(), Observed(), services, stop.Token);
            Volatile.Write(ref _starting, starting); // whoever stops or disposes this now waits for it there
            RabbitMqServer server = await starting.ConfigureAwait(false);
            Volatile.Write(ref _server, server);
            if (_ending.IsCancellationRequested) // whoever ended it may have come before there was anything to wait for
            {
                await server.DisposeAsync().ConfigureAwait(false);
                throw new OperationCanceledException(
                    "The server " + Name + " was stopped or disposed while it started.");
            }
        }
        catch (Exception e)
        {
            // unless it was stopped or disposed meanwhile: then it is not started again
            _ = Changes(IpcServerState.Starting, IpcServerState.NotStarted) ||
                Changes(IpcServerState.Serving, IpcServerState.NotStarted);
            Volatile.Write(ref _trouble, e.Message);
            IpcLog.NotStarted(_logger, Name, e.Message);
            throw;
        }
    }

    /// <summary>Stops in good order, also while it still starts. The host's token ends the wait for requests in hand
    /// early.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (!Changes(IpcServerState.Serving, IpcServerState.Stopping) &&
            !Changes(IpcServerState.Starting, IpcServerState.Stopping))
            return;

        if (await EndStartAsync().ConfigureAwait(false) is { } server)
        {
            IpcRabbitMqLog.Stopping(_logger, Name, server.RequestsInHand);
            await server.StopAsync(_options.DrainTimeout, cancellationToken).ConfigureAwait(false);
        }

        if (_provider.GetKeyedService<CallScopes>(Name) is { } scopes)
            await scopes.DrainAsync(cancellationToken).ConfigureAwait(false);
        Volatile.Write(ref _state, (int)IpcServerState.Stopped);
        IpcLog.Stopped(_logger, Name);
    }

    /// <summary>Stops at once, and blocks until it has: a few seconds at most, unless who is told in
    /// <see cref="RabbitMqOptions.ConnectionChanged"/> takes longer. Not to be called there.</summary>
    public void Dispose() => Task.Run(async () => await DisposeAsync().ConfigureAwait(false)).GetAwaiter().GetResult();

    /// <summary>Stops at once: the broker gives what is in hand to another server.</summary>
    public async ValueTask DisposeAsync()
    {
        Volatile.Write(ref _state, (int)IpcServerState.Stopped);
        if (await EndStartAsync().ConfigureAwait(false) is { } server)
            await server.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Ends a start that is under way, and any later one.</summary>
    /// <returns>The server if it had started all the same.</returns>
    private async Task<RabbitMqServer?> EndStartAsync()
    {
        _ = _ending.CancelAsync();
        if (Volatile.Read(ref _starting) is not { } starting)
            return null;
        try
        {
            return await starting.ConfigureAwait(false);
        }
#pragma warning disable CA1031 // who has started it is told
        catch (Exception)
#pragma warning restore CA1031
        {
            return null;
        }
    }

    private bool Changes(IpcServerState from, IpcServerState to)
        => Interlocked.CompareExchange(ref _state, (int)to, (int)from) == (int)from;

    /// <summary>The options as they were set, with what happens logged.</summary>
    private RabbitMqServerOptions Observed()
    {
        RabbitMqServerOptions options = _options.Rpc.Copy(); // they may be another server's, too
        RpcServerOptions handlers = options.Handlers ??= new RpcServerOptions();
        if (_provider.GetKeyedService<CallScopes>(Name) is { } scopes)
            handlers.Interceptors.Insert(0, scopes); // the last to be told of a call's end
        Action<RpcHandlerFailure>? failed = handlers.HandlerFailed;
        handlers.HandlerFailed = failure =>
        {
            IpcRabbitMqLog.Handler(_logger, Name, failure);
            failed?.Invoke(failure);
        };
        Action<RabbitMqDeadLetter>? buried = options.DeadLettered;
        options.DeadLettered = letter =>
        {
            IpcRabbitMqLog.DeadLettered(_logger, Name, letter.MessageId, letter.Method, letter.Reason);
            buried?.Invoke(letter);
        };
        Action<RabbitMqConnectionChange>? told = options.ConnectionChanged;
        options.ConnectionChanged = change =>
        {
            Changed(change);
            told?.Invoke(change);
        };
        return options;
    }

    private void Changed(RabbitMqConnectionChange change)
    {
        Volatile.Write(ref _trouble, change.Reason);
        if (change.IsConnected)
        {
            IpcRabbitMqLog.Serving(_logger, Name, _services, Address);
            _ = Changes(IpcServerState.Starting, IpcServerState.Serving);
        }
        else
        {
            IpcRabbitMqLog.ServerWaits(_logger, Name, Address, change.Reason ?? string.Empty);
        }
    }
}
