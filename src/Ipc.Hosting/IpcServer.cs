using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>A server that serves while its host runs. To be asked for by the name that it was added with, as key.</summary>
/// <remarks>When the host stops it takes no further clients and calls, and waits for the pending ones as long as
/// <see cref="IpcServerOptions.DrainTimeout"/> and the host allow; then their tokens fire.</remarks>
public sealed class IpcServer : IHostedService, IDisposable, IAsyncDisposable
{
    private readonly IServiceProvider _provider;
    private readonly string _key;
    private readonly IpcServerOptions _options;
    private readonly ILogger _logger;
    private RpcServer? _server;
    private int _state;

    internal IpcServer(IServiceProvider provider, string key, IpcServerOptions options, ILogger logger)
    {
        _provider = provider;
        _key = key;
        _options = options;
        _logger = logger;
    }

    /// <summary>The name that clients find it by.</summary>
    public string Name => _options.Name;

    /// <summary>What it is doing.</summary>
    public IpcServerState State
    {
        get
        {
            var state = (IpcServerState)Volatile.Read(ref _state);
            if (Volatile.Read(ref _server) is not { } server || state == IpcServerState.Stopped)
                return state;
            if (server.Completion.IsFaulted)
                return IpcServerState.Failed;
            if (state != IpcServerState.Serving || !server.IsFollowed)
                return state;
            return server.Completion.IsCompleted ? IpcServerState.Stopped : IpcServerState.Stopping;
        }
    }

    /// <summary>How many clients are connected.</summary>
    public int ConnectionCount => Volatile.Read(ref _server)?.ConnectionCount ?? 0;

    /// <summary>Whether clients that look for its name find it.</summary>
    internal bool IsFindable => Volatile.Read(ref _server)?.IsFindable ?? false;

    /// <summary>Why it failed; <see langword="null"/> if it has not.</summary>
    public Exception? Failure => Volatile.Read(ref _server)?.Completion.Exception?.InnerException;

    /// <summary>Takes the name and serves.</summary>
    /// <exception cref="IpcException">A live server has that name, or the name cannot be opened.</exception>
    /// <exception cref="InvalidOperationException">It has been started before.</exception>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (Interlocked.CompareExchange(ref _state, (int)IpcServerState.Starting, (int)IpcServerState.NotStarted) != (int)IpcServerState.NotStarted)
            throw new InvalidOperationException("The server " + Name + " has been started before.");

        RpcService[] services;
        try
        {
            services = _provider.GetKeyedServices<IpcServiceFactory>(_key).Select(factory => factory.Make(_provider)).ToArray();
            RpcServer server = RpcServer.Start(Name, Observed(), services);
            Volatile.Write(ref _server, server);
            Volatile.Write(ref _state, (int)IpcServerState.Serving);
            _ = server.Completion.ContinueWith(
                completion => IpcLog.ServerFailed(_logger, Name, completion.Exception!.InnerException),
                CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        }
        catch (Exception e)
        {
            Volatile.Write(ref _state, (int)IpcServerState.NotStarted);
            IpcLog.NotStarted(_logger, Name, e.Message);
            throw;
        }

        IpcLog.Serving(_logger, Name, string.Join(", ", services.Select(static service => service.Name)));
        return Task.CompletedTask;
    }

    /// <summary>Stops in good order. The host's token ends the wait for pending calls early.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (Interlocked.CompareExchange(ref _state, (int)IpcServerState.Stopping, (int)IpcServerState.Serving) != (int)IpcServerState.Serving)
            return;

        RpcServer server = _server!;
        IpcLog.Stopping(_logger, Name, server.ConnectionCount);
        await server.StopAsync(_options.DrainTimeout, cancellationToken).ConfigureAwait(false);
        if (_provider.GetKeyedService<CallScopes>(_key) is { } scopes)
            await scopes.DrainAsync(cancellationToken).ConfigureAwait(false);
        Volatile.Write(ref _state, (int)IpcServerState.Stopped);
        IpcLog.Stopped(_logger, Name);
    }

    /// <summary>Stops at once.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _state, (int)IpcServerState.Stopped);
        Volatile.Read(ref _server)?.Dispose();
    }

    /// <summary>Stops at once, and completes when the name is free.</summary>
    public ValueTask DisposeAsync()
    {
        Volatile.Write(ref _state, (int)IpcServerState.Stopped);
        return Volatile.Read(ref _server)?.DisposeAsync() ?? default;
    }

    /// <summary>The options as they were set, with the decision about clients, and what handlers throw, logged.</summary>
    private RpcServerOptions Observed()
    {
        RpcServerOptions options = _options.Rpc.Copy(); // they may be another server's, too
        if (_provider.GetKeyedService<CallScopes>(_key) is { } scopes)
            options.Interceptors.Insert(0, scopes); // the last to be told of a call's end
        Func<RpcPeer, string?>? accept = options.Accept;
        options.Accept = peer =>
        {
            string? refusal = accept?.Invoke(peer);
            if (refusal is null)
                IpcLog.Accepted(_logger, Name, peer.ProcessId);
            else
                IpcLog.Refused(_logger, Name, peer.ProcessId, refusal);
            return refusal;
        };
        Action<RpcHandlerFailure>? told = options.HandlerFailed;
        options.HandlerFailed = failure =>
        {
            IpcLog.Handler(_logger, Name, failure);
            told?.Invoke(failure);
        };
        return options;
    }
}
