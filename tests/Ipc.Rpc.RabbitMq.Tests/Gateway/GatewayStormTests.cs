using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Gateways are killed and started again under load: two that publish servers, one of which also offers the service.</summary>
public sealed class GatewayStormTests(BrokerProcess broker) : StormTest(broker)
{
    [Fact]
    public async Task NothingAcknowledgedIsLostAndWhatComesAgainIsMarked()
    {
        ConcurrentQueue<Farm.Handled> all = new();
        Dictionary<string, string>[] environments = [.. Array.ConvertAll(new[] { "one", "two" }, name => new Dictionary<string, string>
        {
            [OtherEndTests.AddressVariable] = Address,
            [OtherEndTests.ExportVariable] = Service + "-" + name,
            [OtherEndTests.ImportVariable] = name == "one" ? Service + "-there" : "",
        })];
        List<OtherProcess> gateways = [];
        try
        {
            foreach (string name in new[] { "one", "two" })
                _ = Mine(RpcServer.Start(Service + "-" + name, FarmRpc.Service(new Farm(name) { All = all })));
            foreach (Dictionary<string, string> environment in environments)
                gateways.Add(OtherEndTests.Start(nameof(OtherEndTests.Gateway), environment));
            using RpcClient local = RpcClient.Connect(Service + "-there", new RpcClientOptions { ConnectTimeout = Patience, WaitForReady = true });
            IFarm here = local.For<IFarm>();
            int next = 0;
            await StormAsync("kills", Kills * 2, all, Address, () =>
            {
                int which = ++next % 2;
                gateways[which].Kill();
                gateways[which].Dispose();
                gateways[which] = OtherEndTests.Start(nameof(OtherEndTests.Gateway), environments[which]);
            }, async number => Assert.Contains(await here.DoAsync(number, Cancel), new[] { "one", "two" }));
        }
        finally
        {
            gateways.ForEach(static gateway => gateway.Dispose());
        }
    }
}
