using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.Options;

namespace Ipc.Grpc;

/// <summary>What an application has mapped: the contracts, and a connection for each server that was named. Ends with
/// the container.</summary>
internal sealed class IpcGateways(IOptions<IpcGrpcOptions> options) : IDisposable, IAsyncDisposable
{
    private const int LongestName = 120;

    private static readonly SearchValues<char> _inNames =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

    private readonly object _gate = new();
    private readonly Dictionary<string, RpcClient> _clients = new(StringComparer.Ordinal);
    private readonly List<GatewayContract> _contracts = [];

    public IpcGrpcOptions Options => options.Value;

    /// <summary>Those mapped so far.</summary>
    public GatewayContract[] Contracts
    {
        get
        {
            lock (_gate)
                return [.. _contracts];
        }
    }

    /// <summary>The connection to a server. It is made with the first call, and again when it was lost.</summary>
    /// <exception cref="ArgumentException">No server can have that name: calls would tell so, but to somebody
    /// else.</exception>
    public RpcClient ClientOf(string server)
    {
        if (server.Length is 0 or > LongestName || server[0] == '.' || server.AsSpan().ContainsAnyExcept(_inNames))
            throw new ArgumentException(
                "\"" + server + "\" is no server's name: that is 1 to 120 letters A-Z a-z, digits, dots, _ and -, " +
                "and does not begin with a dot.",
                nameof(server));
        lock (_gate)
        {
            if (!_clients.TryGetValue(server, out RpcClient? client))
                _clients[server] = client = RpcClient.Create(server, Options.Client);
            return client;
        }
    }

    /// <exception cref="InvalidOperationException">A contract of that name has been mapped.</exception>
    public void Add(GatewayContract contract)
    {
        lock (_gate)
        {
            if (_contracts.Exists(known => known.FullName == contract.FullName))
                throw new InvalidOperationException(
                    "The service " + contract.FullName + " has been mapped already. A path of gRPC names a service " +
                    "and no server: map it once, or serve the other one from another application.");
            _contracts.Add(contract);
        }
    }

    public void Dispose()
    {
        foreach (RpcClient client in TakeAll())
            client.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (RpcClient client in TakeAll())
            await client.DisposeAsync().ConfigureAwait(false);
    }

    private RpcClient[] TakeAll()
    {
        lock (_gate)
        {
            RpcClient[] all = [.. _clients.Values];
            _clients.Clear();
            return all;
        }
    }
}
