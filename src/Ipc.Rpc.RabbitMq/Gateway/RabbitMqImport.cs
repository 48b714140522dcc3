using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// The requests of shared memory name their method by a number, those at a broker by its name and kind. So the service
// is asked what it has, before it is offered here; and now and then again. When it has something else by then, a second
// server takes the first one's name over, which ends when its calls have: nobody's call fails for that.

/// <summary>Offers a service at a broker as a server of this machine: programs call it through shared memory, in
/// whatever language, and know nothing of the broker.</summary>
/// <remarks>
/// <para>It serves the name as soon as the service has said which methods it has, and from then on also while the
/// service or the broker is away: calls fail then, or wait, as <see cref="RabbitMqClientOptions.WaitForReady"/> says.
/// The service must be a <see cref="RabbitMqServer"/> or <see cref="RabbitMqExport"/> that lists its methods (since
/// version 0.2).</para>
/// <para>A call ends as one by a <see cref="RabbitMqClient"/>: same statuses, texts, details and metadata. Deadlines
/// and cancellations pass. One-way calls are confirmed by the broker; one that is not counts as failed at the server of
/// this machine, and its caller is not told. Methods with <see cref="IpcOnceAttribute"/> are not offered; reports of
/// progress do not come.</para>
/// </remarks>
public sealed class RabbitMqImport : IAsyncDisposable
{
    private static readonly TimeSpan _firstLook = TimeSpan.FromSeconds(1), _patience = TimeSpan.FromSeconds(10);

    private readonly RabbitMqImportOptions _options;
    private readonly RabbitMqClient _client;
    private readonly ImportedService _imported;
    private readonly MethodFilter _filter;
    private readonly Standing _standing;
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _run;
    private RpcServer? _server;
    private string _offered = string.Empty; // all names, with what is said of them
    private int _methods; // [count]
    private long _requests; // [count]

    private RabbitMqImport(string name, string service, string address, RabbitMqImportOptions options)
    {
        Name = name;
        Service = service;
        _options = options;
        _filter = new MethodFilter(options.Methods);
        _standing = new Standing(options.Changed);
        _client = RabbitMqClient.Create(address, options.Broker);
        _imported = new ImportedService(_client.Caller, () => Interlocked.Increment(ref _requests));
        using (ExecutionContext.SuppressFlow()) // calls would have the deadline and the trace of whoever starts it
            _run = Task.Run(RunAsync, CancellationToken.None);
    }

    /// <summary>The name on this machine.</summary>
    public string Name { get; }

    /// <summary>The service's name at the broker.</summary>
    public string Service { get; }

    /// <summary>Whether the name is served here and there is a connection to the broker.</summary>
    public bool IsServing => _standing.Trouble is null;

    /// <summary>Why it does not serve; <see langword="null"/> if it does. It has no password.</summary>
    public string? Trouble => _standing.Trouble;

    /// <summary>How many methods it offers.</summary>
    public int Methods => Volatile.Read(ref _methods);

    /// <summary>How many clients of this machine are connected.</summary>
    public int ConnectionCount => Volatile.Read(ref _server)?.ConnectionCount ?? 0;

    /// <summary>How many calls and streams it has handed on.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    /// <summary>Begins to offer. It does not wait for the broker or the service; it tries both until it is
    /// disposed.</summary>
    /// <param name="name">The name on this machine, as of <see cref="RpcServer.Start(string, RpcService[])"/>. If a
    /// live server has it, this is tried again, unless that is an import, too: then this one takes it over.</param>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>: the broker and the name there.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentException">It is no such address; a method or an option cannot be.</exception>
    public static RabbitMqImport Start(string name, string address, RabbitMqImportOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        return new RabbitMqImport(
            name,
            RabbitMqAddress.Parse(address).Service,
            address,
            (options ?? new RabbitMqImportOptions()).Checked());
    }

    /// <summary>Stops gracefully: takes no further clients and calls, waits for those that it has, then
    /// stops.</summary>
    /// <param name="timeout">How long to wait for pending calls and streams; then their tokens fire.</param>
    /// <param name="cancellationToken">Ends that wait earlier.</param>
    public async Task StopAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        await _closing.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
        if (_server is { } server)
            await server.StopAsync(timeout, cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Stops at once: calls and streams that are under way end with
    /// <see cref="RpcStatus.Unavailable"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
        if (_server is { } server)
            await server.DisposeAsync().ConfigureAwait(false);
        await _client.DisposeAsync().ConfigureAwait(false);
    }

    private async Task RunAsync()
    {
        try
        {
            long round = 0;
            while (_server is not { IsFollowed: true })
            {
                if (_server is null || round++ % (long)(_options.Look / _firstLook) == 0)
                    _standing.Set(await TryOfferAsync().ConfigureAwait(false));
                else if (_client.IsConnected == (_standing.Trouble is not null))
                    round = 0; // it has changed: what it is by now is asked
                await Task.Delay(_firstLook, _closing.Token).ConfigureAwait(false);
            }

            _standing.Set("Another import has taken the name \"" + Name + "\" over.");
        }
        catch (OperationCanceledException) when (_closing.IsCancellationRequested)
        {
            // the end
        }
    }

    /// <returns>Why it is not offered; <see langword="null"/> if it is.</returns>
    private async Task<string?> TryOfferAsync()
    {
        try
        {
            IReadOnlyList<RpcMethodInfo> all = await RpcReflection.ListAsync(
                _client.Caller.WithTimeout(_patience), _closing.Token).ConfigureAwait(false);
            RpcMethodInfo[] methods = [.. all.Where(method => !method.IsOnce && _filter.Allows(method.FullName))];
            if (methods.Length == 0)
                return "The service \"" + Service + "\" has no method that may be offered here.";
            string offered = string.Join('\n', methods.Select(
                static method => $"{method.FullName} {method.Kind} {method.IsOneWay} {method.IsIdempotent}"));
            if (_server is null || offered != _offered)
                Offer(methods);
            _offered = offered;
            return null;
        }
        catch (RpcCallException e)
        {
            return e.Message;
        }
        catch (IpcException e)
        {
            return e.Message;
        }
        catch (ArgumentException e) // two methods have one number
        {
            return "The service \"" + Service + "\" cannot be offered here: " + e.Message;
        }
    }

    private void Offer(RpcMethodInfo[] methods)
    {
        RpcServer? before = _server;
        RpcServer next = RpcServer.Start(Name, _options.Local, _imported.Of(methods));
        Volatile.Write(ref _server, next);
        Volatile.Write(ref _methods, methods.Length);
        if (before is { IsFollowed: false }) // where names are not taken over
            before.Dispose();
    }
}
