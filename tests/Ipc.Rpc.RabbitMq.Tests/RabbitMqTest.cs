using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A test with a service of its own at the broker.</summary>
public abstract class RabbitMqTest : IAsyncLifetime
{
    private static int s_number;

    private readonly Stack<IAsyncDisposable> _owned = new();
    private LonelyBroker? _alone;

    protected RabbitMqTest(BrokerProcess broker)
    {
        Broker = broker;
        Service = "test-" + Interlocked.Increment(ref s_number);
    }

    protected BrokerProcess Broker { get; private set; }

    protected string Service { get; }

    protected static CancellationToken Cancel => TestContext.Current.CancellationToken;

    protected static TimeSpan Patience => Watchdog.Patience;

    protected string Address => AddressAt(Broker.Port);

    protected string AddressAt(int port, string user = "guest:guest", string host = "%2F") => $"amqp://{user}@127.0.0.1:{port}/{host}/{Service}";

    public ValueTask InitializeAsync()
    {
        Broker.Require();
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            while (_owned.Count > 0)
                await _owned.Pop().DisposeAsync().AsTask().WaitAsync(Patience);
        }
        finally
        {
            _alone?.Return();
        }

        Assert.Empty(SharedRegions.LeftOf(Service));
        GC.SuppressFinalize(this);
    }

    /// <summary>For a test that kills the broker, or changes what it takes: from here on it has one that no other test uses meanwhile. Others go on with theirs.</summary>
    protected async Task HaveBrokerAloneAsync()
    {
        LonelyBroker alone = (await TestContext.Current.GetFixture<LonelyBroker>())!;
        Broker = await alone.TakeAsync(Cancel);
        _alone = alone;
    }

    /// <summary>Disposed at the end of the test.</summary>
    protected T Own<T>(T mine)
        where T : IDisposable
    {
        _owned.Push(new Owned(mine));
        return mine;
    }

    private sealed class Owned(IDisposable mine) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            mine.Dispose();
            return default;
        }
    }

    protected T Mine<T>(T mine)
        where T : IAsyncDisposable
    {
        _owned.Push(mine);
        return mine;
    }

    protected async Task<RabbitMqServer> ServeAsync(RpcService service, RabbitMqServerOptions? options = null, string? address = null) =>
        Mine(await RabbitMqServer.StartAsync(address ?? Address, options ?? ServerOptions, service).WaitAsync(Patience, Cancel));

    /// <summary>A connection of RabbitMQ's own client.</summary>
    protected Task<IConnection> OpenAsync() => new ConnectionFactory { Port = Broker.Port, HostName = "127.0.0.1" }.CreateConnectionAsync(Cancel);

    protected Task<RabbitMqServer> ServeAsync(TestService service) => ServeAsync(TestServiceRpc.Service(service));

    protected async Task<RabbitMqClient> ConnectAsync(RabbitMqClientOptions? options = null, string? address = null) =>
        Mine(await RabbitMqClient.ConnectAsync(address ?? Address, options ?? ClientOptions, Cancel).WaitAsync(Patience, Cancel));

    /// <summary>Those that a test may change before it uses them.</summary>
    protected RabbitMqServerOptions ServerOptions { get; } = new() { FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(200) };

    protected RabbitMqClientOptions ClientOptions { get; } = new() { FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(200) };

    protected static async Task<RpcCallException> FailsAsync(RpcStatus status, Func<Task> call)
    {
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => call().WaitAsync(Patience, Cancel));
        Assert.True(failure.Status == status, $"{failure.Status} instead of {status}: {failure}");
        Assert.NotEmpty(failure.Message);
        return failure;
    }
}
