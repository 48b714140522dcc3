using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// Two things have to be there: the broker and the server on this machine. The server is looked after first: only
// while it is there, or has been a moment ago, is there a link to the broker, so that no request lies here that a
// server of another machine could take. Whoever has the link ends it as a whole when the server goes: what was not
// acknowledged is given to others, marked, and that is how a server that was killed within a call loses none.

/// <summary>Publishes a server of this machine at a broker, whatever language it is written in: clients on other
/// machines call it there as they call a <see cref="RabbitMqServer"/>, directly or through a
/// <see cref="RabbitMqImport"/>.</summary>
/// <remarks>
/// <para>It calls the server through shared memory as its client. Delivery is that of <see cref="RabbitMqServer"/>: a
/// request is acknowledged when its answer has been handed to the broker. When the server on this machine is killed
/// with requests in hand, or this process is, the broker delivers them again, marked
/// (<see cref="RabbitMqMarks.Redelivered"/> is in the metadata that the server gets). A server that is restarted in
/// good order fails no call.</para>
/// <para>While no server has the name here, this end is not at the broker: others serve, or the requests wait there. It
/// looks for one twice a second. Any number of exports and servers share the requests of one service.</para>
/// <para>Methods with <see cref="IpcOnceAttribute"/> cannot be called; reports of progress and callbacks do not
/// come.</para>
/// </remarks>
public sealed class RabbitMqExport : IAsyncDisposable
{
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(500);

    private readonly RabbitMqAddress _address;
    private readonly RabbitMqExportOptions _options;
    private readonly RpcClient _client;
    private readonly RequestHandler _handler;
    private readonly Standing _standing;
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _run;
    private Recovery<ServerLink>? _recovery;

    private RabbitMqExport(string name, RabbitMqAddress address, RabbitMqExportOptions options)
    {
        Name = name;
        _address = address;
        _options = options;
        _standing = new Standing(options.Changed);
        MethodFilter filter = new(options.Methods);
        _client = RpcClient.Create(name, options.Local);
        _handler = new RequestHandler(_client, options.Broker.DeadLettered, filter, options.Broker.Handled());
        GatewayMetrics.Add(this, GatewayMetrics.Export, name, address, Look);
        _run = Background.Repeat(LookAsync, _standing.Set, _look, _closing.Token);
    }

    /// <summary>The server's name on this machine.</summary>
    public string Name { get; }

    /// <summary>The service's name at the broker.</summary>
    public string Service => _address.Service;

    /// <summary>Whether there is a server here and a connection to the broker.</summary>
    public bool IsServing => _standing.Trouble is null;

    /// <summary>Why it does not serve; <see langword="null"/> if it does. It has no password.</summary>
    public string? Trouble => _standing.Trouble;

    /// <summary>How many requests are being handled, calls with streams included.</summary>
    public int RequestsInHand => Volatile.Read(ref _recovery)?.Link?.InHand ?? 0;

    /// <summary>How many requests have come from the broker.</summary>
    public long Requests => _handler.Requests;

    /// <summary>How many messages it has put into the dead-letter queue.</summary>
    public long DeadLetters => _handler.DeadLetters;

    /// <summary>Begins to publish. It does not wait for the server or the broker; it tries both until it is
    /// disposed.</summary>
    /// <param name="name">The server's name on this machine, as of <see cref="RpcClient.Create"/>.</param>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>: the broker and the name there.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentException">It is no such address; a method or an option cannot be.</exception>
    public static RabbitMqExport Start(string name, string address, RabbitMqExportOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        return new RabbitMqExport(
            name, RabbitMqAddress.Parse(address), (options ?? new RabbitMqExportOptions()).Checked());
    }

    /// <summary>Stops gracefully: takes no further requests, waits for those in hand, then ends streams and
    /// stops.</summary>
    /// <param name="timeout">How long to wait.</param>
    /// <param name="cancellationToken">Ends that wait earlier.</param>
    public async Task StopAsync(TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (Volatile.Read(ref _recovery)?.Link is { } link)
            await link.StopAsync(Deadline.After(timeout), cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Stops at once: the broker gives requests in hand to others, streams end with
    /// <see cref="RpcStatus.Unavailable"/>. The server on this machine goes on.</summary>
    public async ValueTask DisposeAsync()
    {
        _handler.IsStopping = true;
        try
        {
            await _closing.CancelAsync().ConfigureAwait(false);
            await _run.ConfigureAwait(false);
        }
        finally
        {
            GatewayMetrics.Remove(this);
            _client.Dispose();
        }
    }

    private GatewayPart Look() => new()
    {
        Calls = _handler.Calls,
        Refused = _handler.Refusals,
        UnderWay = RequestsInHand,
        DeadLetters = DeadLetters,
        Serving = IsServing ? 1 : 0,
    };

    private async Task LookAsync()
    {
        string? trouble;
        while ((trouble = await MissingAsync().ConfigureAwait(false)) is null)
            await ServeAsync().ConfigureAwait(false);
        _standing.Set(trouble);
    }

    /// <summary>Is at the broker as long as the server is here.</summary>
    private async Task ServeAsync()
    {
        using Replies replies = new(_address, _options.Broker);
        Recovery<ServerLink> recovery = new(
            _address, _options.Broker, "gateway of",
            connection => new ServerLink(connection, _address, _options.Broker, _handler, replies));
        Volatile.Write(ref _recovery, recovery);
        try
        {
            await recovery.TriedAsync().WaitAsync(_closing.Token).ConfigureAwait(false);
            long lastSeen = Stopwatch.GetTimestamp();
            while (true)
            {
                string? trouble = await MissingAsync().ConfigureAwait(false);
                if (trouble is null)
                    lastSeen = Stopwatch.GetTimestamp();
                else if (Stopwatch.GetElapsedTime(lastSeen) > _options.Grace)
                    return;
                _standing.Set(trouble ?? (recovery.Link is null ? recovery.Missing(null).Message : null));
                await Task.Delay(_look, _closing.Token).ConfigureAwait(false);
            }
        }
        finally
        {
            try
            {
                if (recovery.Link is { } link)
                    await link.EndStreamsAsync().ConfigureAwait(false);
            }
            finally
            {
                await recovery.DisposeAsync().ConfigureAwait(false);
                Volatile.Write(ref _recovery, null);
            }
        }
    }

    /// <summary>Why the server of this machine cannot be called; <see langword="null"/> if it can.</summary>
    private async Task<string?> MissingAsync()
    {
        try
        {
            await _client.EnsureConnectedAsync(TimeSpan.Zero, _closing.Token).ConfigureAwait(false);
            return null;
        }
        catch (Exception e) when (e is RpcCallException or IpcException)
        {
            return e.Message;
        }
    }
}
