using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// The requests of shared memory name their method by a number, those at a broker by its name and kind. So the service
// is asked what it has, before it is offered here; and now and then again. When it has something else by then, a second
// server takes the first one's name over, which ends when its calls have: nobody's call fails for that.
//
// Two imports of one name, in two processes perhaps: the later one takes it over when it first offers, and never again.
// Whoever was followed waits until the name is free. Otherwise they would take it from each other for ever.

/// <summary>Offers a service at a broker as a server of this machine: programs call it through shared memory, in
/// whatever language, and know nothing of the broker.</summary>
/// <remarks>
/// <para>It serves the name as soon as the service has said which methods it has, and from then on also while the
/// service or the broker is away: calls fail then, or wait, as <see cref="RabbitMqClientOptions.WaitForReady"/> says.
/// The service must be a <see cref="RabbitMqServer"/> or <see cref="RabbitMqExport"/> that lists its methods (since
/// version 0.2). When it has others later, they are offered by another server, which takes the name over; clients with
/// <see cref="RpcClientOptions.WaitForReady"/> notice nothing of it. Where names are not taken over (Windows), calls
/// that are under way end then.</para>
/// <para>A call ends as one by a <see cref="RabbitMqClient"/>: same statuses, texts, details and metadata. Deadlines
/// and cancellations pass. One-way calls are confirmed by the broker; one that is not counts as failed at the server of
/// this machine (<see cref="FailedOneWayCalls"/>), and its caller is not told. Methods with
/// <see cref="IpcOnceAttribute"/> are not offered; reports of progress do not come.</para>
/// </remarks>
public sealed class RabbitMqImport : IAsyncDisposable
{
    private const int MostMethods = 10_000; // of a service: texts about unknown methods are made of all of them

    private static readonly TimeSpan _firstLook = TimeSpan.FromSeconds(1), _patience = TimeSpan.FromSeconds(10);

    private readonly RabbitMqImportOptions _options;
    private readonly RabbitMqClient _client;
    private readonly ImportedService _imported;
    private readonly MethodFilter _filter;
    private readonly Standing _standing;
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _run;
    private readonly object _gate = new();
    private readonly List<RpcServer> _servers = []; // the last one has the name; others end when their calls have
    private string _offered = string.Empty; // all names, with what is said of them
    private bool _wasFollowed;
    private long _round;
    private long _failedBefore; // [count] one-way calls at servers that have ended
    private int _methods; // [count]
    private long _requests; // [count]

    private RabbitMqImport(string name, string address, RabbitMqImportOptions options)
    {
        RabbitMqAddress parsed = RabbitMqAddress.Parse(address);
        Name = name;
        Service = parsed.Service;
        _options = options;
        _filter = new MethodFilter(options.Methods);
        _standing = new Standing(options.Changed);
        _client = RabbitMqClient.Create(address, options.Broker);
        _imported = new ImportedService(_client.Caller, () => Interlocked.Increment(ref _requests));
        GatewayMetrics.Add(
            this, GatewayMetrics.Import, name, parsed,
            () => new GatewayPart { Calls = Requests, Serving = IsServing ? 1 : 0 });
        _run = Background.Repeat(LookAsync, _standing.Set, _firstLook, _closing.Token);
    }

    /// <summary>The name on this machine.</summary>
    public string Name { get; }

    /// <summary>The service's name at the broker.</summary>
    public string Service { get; }

    /// <summary>Whether the name is served here and the service has said lately what it has.</summary>
    public bool IsServing => _standing.Trouble is null;

    /// <summary>Why it does not serve; <see langword="null"/> if it does. It has no password.</summary>
    public string? Trouble => _standing.Trouble;

    /// <summary>How many methods it offers.</summary>
    public int Methods => Volatile.Read(ref _methods);

    /// <summary>How many clients of this machine are connected.</summary>
    public int ConnectionCount => Servers.Sum(static server => server.ConnectionCount);

    /// <summary>How many one-way calls the broker has not confirmed, or were none of the service's. Their callers do
    /// not learn of it.</summary>
    public long FailedOneWayCalls
    {
        get
        {
            lock (_gate)
                return _failedBefore + _servers.Sum(static server => server.FailedOneWayCalls);
        }
    }

    /// <summary>How many calls and streams it has handed on.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    private RpcServer[] Servers
    {
        get
        {
            lock (_gate)
                return [.. _servers];
        }
    }

    /// <summary>Begins to offer. It does not wait for the broker or the service; it tries both until it is
    /// disposed.</summary>
    /// <param name="name">The name on this machine, as of <see cref="RpcServer.Start(string, RpcService[])"/>. If a
    /// live server has it, this is tried again, unless that is an import, too: then this one takes it over, and that
    /// one waits until the name is free.</param>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>: the broker and the name there.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentException">It is no such address; a method or an option of the broker's cannot be. What
    /// else cannot be is said in <see cref="Trouble"/>.</exception>
    public static RabbitMqImport Start(string name, string address, RabbitMqImportOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        return new RabbitMqImport(name, address, (options ?? new RabbitMqImportOptions()).Checked());
    }

    /// <summary>Stops gracefully: takes no further clients and calls, waits for those that it has, then
    /// stops.</summary>
    /// <param name="timeout">How long to wait for pending calls and streams; then their tokens fire.</param>
    /// <param name="cancellationToken">Ends that wait earlier.</param>
    public async Task StopAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        try
        {
            await EndRunAsync().ConfigureAwait(false);
            await Task.WhenAll(Servers.Select(server => server.StopAsync(timeout, cancellationToken)))
                .ConfigureAwait(false);
        }
        finally
        {
            await DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Stops at once: calls and streams that are under way end with
    /// <see cref="RpcStatus.Unavailable"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await EndRunAsync().ConfigureAwait(false);
            await Task.WhenAll(Servers.Select(static server => server.DisposeAsync().AsTask())).ConfigureAwait(false);
        }
        finally
        {
            GatewayMetrics.Remove(this);
            await _client.DisposeAsync().ConfigureAwait(false);
        }
    }

    private async Task EndRunAsync()
    {
        await _closing.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
    }

    private async Task LookAsync()
    {
        Forget();
        if (Present is null || _client.IsConnected == (_standing.Trouble is not null))
            _round = 0; // it is not there, or has changed: what it is by now is asked
        if (_round++ % (long)(_options.Look / _firstLook) == 0)
            _standing.Set(await TryOfferAsync().ConfigureAwait(false));
    }

    /// <summary>The server that has the name; <see langword="null"/> if none of this end has.</summary>
    private RpcServer? Present
    {
        get
        {
            lock (_gate)
                return _servers is [.., { IsFollowed: false } last] && !last.Completion.IsCompleted ? last : null;
        }
    }

    /// <summary>Servers that have ended; and the one that nobody finds any more, because somebody has removed its
    /// file.</summary>
    private void Forget()
    {
        foreach (RpcServer server in Servers)
        {
            if (server.IsFollowed && server == Servers[^1])
                _wasFollowed = true;
            if (!server.Completion.IsCompleted && (server.IsFollowed || server.IsFindable))
                continue;
            server.Dispose();
            lock (_gate)
            {
                _servers.Remove(server);
                _failedBefore += server.FailedOneWayCalls;
            }
        }
    }

    /// <returns>Why it is not offered; <see langword="null"/> if it is. What it throws is another reason.</returns>
    private async Task<string?> TryOfferAsync()
    {
        try
        {
            IReadOnlyList<RpcMethodInfo> all = await RpcReflection.ListAsync(
                _client.Caller.WithTimeout(_patience), _closing.Token).ConfigureAwait(false);
            RpcMethodInfo[] methods = [.. all.Where(method => !method.IsOnce && _filter.Allows(method.FullName))];
            if (methods.Length is 0 or > MostMethods)
                return "The service \"" + Service + "\" has " + methods.Length + " methods that may be offered here; " +
                    "1 to " + MostMethods + " can be.";
            string offered = string.Join('\n', methods.Select(
                static method => $"{method.FullName} {method.Kind} {method.IsOneWay} {method.IsIdempotent}"));
            if (Present is null || offered != _offered)
                Offer(methods);
            _offered = offered;
            return null;
        }
        catch (IpcException e) when (_wasFollowed && e.Status == IpcStatus.InUse)
        {
            return "Another server has taken the name \"" + Name + "\" over: " + e.Message;
        }
        catch (ArgumentException e) // two methods have one number
        {
            return "The service \"" + Service + "\" cannot be offered here: " + e.Message;
        }
    }

    private void Offer(RpcMethodInfo[] methods)
    {
        RpcServerOptions options = _options.Local.Copy();
        options.TakeOver &= !_wasFollowed || Present is not null;
        if (!options.TakeOver && Present is { } before)
            before.Dispose(); // else it is this one's own name that is in use
        RpcServer next = RpcServer.Start(Name, options, _imported.Of(methods));
        lock (_gate)
            _servers.Add(next);
        Volatile.Write(ref _methods, methods.Length);
    }
}
