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
        ConcurrentQueue<Farm.Handled> all = new();
        // a queue is on the nodes that run when it is declared, and a node answers a moment before the others count it
        Watchdog.Until(() => _cluster.Control("eval", "length(rabbit_nodes:all_running()).") == "3", "three nodes to run");
        // who declares a queue has its leader on its own node
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = all }), address: $"amqp://127.0.0.1:{_cluster.Port}/%2F/{Service}");
        await ServeAsync(FarmRpc.Service(new Farm("two") { All = all }), address: Everywhere);
        UntilOnAllNodes(_cluster.Nodes[0]);
        await StormAsync("kills of one of three nodes", Kills, all, Everywhere, () =>
        {
            string leader = LineOf(_cluster.Nodes[0].Control("list_queues", "name", "leader"));
            BrokerNode node = _cluster.Nodes.Single(node => leader == node.Name);
            node.Kill();
            int before = Acknowledged;
            Watchdog.Until(() => Acknowledged >= before + 300, "traffic over the two others");
            Calmly(() =>
            {
                node.Start();
                node.WaitUntilReady();
                UntilOnAllNodes(node);
            });
        });
    }

    /// <summary>A node answers before its part of the queue does: to kill another one by then would leave no majority, and the broker ends all connections that use the queue.</summary>
    private void UntilOnAllNodes(BrokerNode asked) =>
        Watchdog.Until(() => LineOf(asked.Control("list_queues", "name", "online")).Count(static letter => letter == '@') == 3, "the queue to be on all three nodes");

    /// <summary>What is said of the service's queue.</summary>
    private string LineOf(string said) => said.Split('\n').Select(static line => line.Split('\t')).Single(line => line[0] == "ipc." + Service)[1];

    public sealed class ThreeNodes : IDisposable
    {
        internal BrokerProcess Broker { get; } = new(3);

        public void Dispose() => Broker.Dispose();
    }
}
