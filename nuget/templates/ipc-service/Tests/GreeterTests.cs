using Ipc.Rpc;
using Xunit;

namespace IpcService._1;

/// <summary>Server and client in one process, over shared memory as between two. A name of its own keeps each test apart.</summary>
public sealed class GreeterTests : IDisposable
{
    private readonly RpcServer _server;
    private readonly RpcClient _client;

    public GreeterTests()
    {
        string name = "test-" + Guid.NewGuid().ToString("N");
        _server = RpcServer.Start(name, GreeterRpc.Service(new Greeter()));
        _client = RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = TimeSpan.FromMinutes(1) }); // on a busy machine, too
    }

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Fact]
    public async Task ACallIsAnswered()
    {
        Greeting greeting = await _client.For<IGreeter>().GreetAsync(new GreetRequest("Ada"), Cancelled);
        Assert.Equal(new Greeting("Hello, Ada!", 1), greeting);
    }

    [Fact]
    public async Task AStreamGoesOnUntilTheCallerHasEnough()
    {
        List<int> numbers = [];
        await foreach (Greeting greeting in _client.For<IGreeter>().Watch(new GreetRequest("Ada"), Cancelled))
        {
            numbers.Add(greeting.Number);
            if (numbers.Count == 3)
                break;
        }

        Assert.Equal([1, 2, 3], numbers);
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
    }
}
