using System;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>A C# client that serves callbacks, and a server of either language.</summary>
internal sealed class Pair : IDisposable
{
    public Pair(Language language, RpcClientOptions? options = null)
    {
        Server = new ServerUnderTest(language);
        options ??= new RpcClientOptions();
        options.Services.Add(TestsBackRpc.Service(Back));
        Client = RpcClient.Connect(Server.Name, options);
        Tests = TestsRpc.Client(Client);
    }

    public ServerUnderTest Server { get; }

    public ManagedBack Back { get; } = new();

    public RpcClient Client { get; }

    public ITests Tests { get; }

    public void MustLive() => Assert.Equal([4, 7], Tests.Echo(new Blob { Data = [4, 7] }).Data);

    public void Dispose()
    {
        Client.Dispose();
        Server.Dispose();
    }
}
