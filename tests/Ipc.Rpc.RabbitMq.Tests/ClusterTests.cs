using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A broker of three nodes, of which one after another is killed, the leader of the service's queue first, and started again.</summary>
public sealed class ClusterTests : StormTest, IClassFixture<ClusterTests.ThreeNodes>
{
    private readonly BrokerProcess _cluster;

    public ClusterTests(BrokerProcess broker, ThreeNodes nodes)
        : base(broker) => _cluster = nodes.Broker;

    private string Everywhere => $"amqp://guest:guest@{string.Join(',', _cluster.Nodes.Select(static node => "127.0.0.1:" + node.Port))}/%2F/{Service}";

    [Fact]
    public async Task NothingAcknowledgedIsLostWhenTheLeaderIsKilled()
    {
        _cluster.Require();
        // A node that comes back may take a while to have the queue, and each time that a server tries meanwhile counts as a delivery of what it had in hand: 20 are too many.
        ServerOptions.LongestPause = TimeSpan.FromSeconds(2);
        ConcurrentQueue<Farm.Handled> all = new();
        // who declares a queue has its leader on its own node
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = all }), address: $"amqp://127.0.0.1:{_cluster.Port}/%2F/{Service}");
        await ServeAsync(FarmRpc.Service(new Farm("two") { All = all }), address: Everywhere);
        Assert.Equal("3", _cluster.Control("eval", "length(rabbit_nodes:all_running())."));
        await StormAsync("kills of one of three nodes", Kills, all, Everywhere, () =>
        {
            string leaders = _cluster.Nodes[0].Control("list_queues", "name", "leader");
            BrokerNode node = _cluster.Nodes.Single(node => leaders.Split('\n').Any(line => line.Split('\t') is [var queue, var leader] && queue == "ipc." + Service && leader == node.Name));
            node.Kill();
            int before = Acknowledged;
            Watchdog.Until(() => Acknowledged >= before + 300, "traffic over the two others");
            Calmly(() =>
            {
                node.Start();
                node.WaitUntilReady();
            });
            Assert.Equal("3", node.Control("eval", "length(rabbit_nodes:all_running())."));
        });
    }

    public sealed class ThreeNodes : IDisposable
    {
        internal BrokerProcess Broker { get; } = new(3);

        public void Dispose() => Broker.Dispose();
    }
}
