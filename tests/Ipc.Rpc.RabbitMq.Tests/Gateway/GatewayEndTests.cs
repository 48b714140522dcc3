using System;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>How the parts of a gateway end.</summary>
public sealed class GatewayEndTests(BrokerProcess broker) : GatewayTest(broker)
{
    [Fact]
    public async Task AnImportThatCannotBeStoppedInGoodOrderIsStoppedAtOnce()
    {
        Own(RpcServer.Start(Here, FarmRpc.Service(new Farm("here"))));
        Serves(Export());
        RabbitMqImport import = Import();
        Serves(import);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => import.StopAsync(TimeSpan.FromMilliseconds(-5)).WaitAsync(Patience, Cancel));
        using RpcServer next = RpcServer.Start(There, FarmRpc.Service(new Farm("next")));
        using RpcClient near = RpcClient.Connect(There);
        Assert.Equal("next", await near.For<IFarm>().DoAsync(1, Cancel).AsTask().WaitAsync(Patience, Cancel));
    }
}
