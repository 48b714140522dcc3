using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What a collector of metrics learns of gateways: the meter "Ipc.Rpc.RabbitMq".</summary>
public sealed class GatewayMetricTests(BrokerProcess broker) : GatewayTest(broker)
{
    [Fact]
    public async Task CallsAreCountedAtBothEnds()
    {
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Own(RpcServer.Start(Here, FarmRpc.Service(new Farm("here") { Before = stop => gate.Task.WaitAsync(stop) })));
        ExportOptions.Methods.Add("farm.v1/Do");
        RabbitMqExport export = Export();
        RabbitMqImport import = Import();
        Serves(export);
        Serves(import);
        Assert.Equal(1, Of("ipc.gateway.serving", Here));
        Assert.Equal(1, Of("ipc.gateway.serving", There));

        using RpcClient near = RpcClient.Connect(There);
        long before = Of("ipc.gateway.calls", Here); // the import has asked what there is
        Task<string> call = near.For<IFarm>().DoAsync(1, Cancel).AsTask();
        Watchdog.Until(() => Of("ipc.gateway.calls.pending", Here) == 1, "the call to be under way");
        gate.SetResult();
        Assert.Equal("here", await call.WaitAsync(Patience, Cancel));
        Watchdog.Until(() => Of("ipc.gateway.calls.pending", Here) == 0, "the call to be over");
        IFarm direct = (await ConnectAsync()).For<IFarm>();
        await FailsAsync(RpcStatus.PermissionDenied, async () => await direct.DoAgainAsync(2, Cancel));
        Assert.Equal((1, 1, 0), (Of("ipc.gateway.calls", There), Of("ipc.gateway.calls.refused", Here), Of("ipc.gateway.dead_letters", Here)));
        Assert.InRange(Of("ipc.gateway.calls", Here), before + 2, export.Requests);

        long all = Of("ipc.gateway.calls", Here);
        await export.DisposeAsync();
        await export.DisposeAsync();
        Assert.InRange(Of("ipc.gateway.calls", Here), all, export.Requests); // a counter does not go back
        Assert.Equal(0, Of("ipc.gateway.serving", Here));
        ExportOptions.Methods.Clear();
        Serves(Export());
        await direct.DoAgainAsync(3, Cancel);
        Assert.InRange(Of("ipc.gateway.calls", Here), all + 1, long.MaxValue);
        Assert.Equal((1, 1), (Of("ipc.gateway.calls.refused", Here), Of("ipc.gateway.serving", Here)));
    }

    [Fact]
    public void MessagesOfTopicsAreCountedInBothDirections()
    {
        TopicOptions small = new() { BlockSize = 64, BlockCount = 256 };
        RabbitMqTopicOptions options = new() { Topic = small, FirstPause = TimeSpan.FromMilliseconds(20) };
        RabbitMqTopic[] machines = [.. new[] { "one", "two" }.Select(name => Mine(RabbitMqTopic.Start(Service + name, Address, options)))];
        foreach (RabbitMqTopic machine in machines)
            Says(() => machine.IsServing, () => machine.Trouble);
        using TopicWriter writer = TopicWriter.Open(machines[0].Name, small);
        for (int i = 0; i < 100; i++)
            Assert.Equal(IpcStatus.Ok, writer.Publish(BitConverter.GetBytes(i), 0, (ulong)i, Hang));
        Watchdog.Until(() => Of("ipc.gateway.topic.messages", machines[1].Name, "receive") == 100, "all to come");
        Watchdog.Until(() => Of("ipc.gateway.topic.messages", machines[0].Name, "transmit") == 100, "all to be confirmed");
        Assert.All(machines, machine => Assert.Equal((0, 0, 1), (Of("ipc.gateway.topic.lost", machine.Name), Of("ipc.gateway.topic.unfit", machine.Name), Of("ipc.gateway.serving", machine.Name))));
        Assert.Equal(0, Of("ipc.gateway.topic.messages", machines[0].Name, "receive"));
    }

    /// <summary>What the instrument says now of the part with that name; -1 for nothing.</summary>
    private long Of(string instrument, string name, string? direction = null)
    {
        List<long> found = [];
        using MeterListener listener = new();
        listener.InstrumentPublished = (published, told) =>
        {
            if (published.Meter.Name == "Ipc.Rpc.RabbitMq" && published.Name == instrument)
                told.EnableMeasurementEvents(published);
        };
        listener.SetMeasurementEventCallback<long>((_, number, tags, _) =>
        {
            Dictionary<string, object?> all = new(tags.ToArray());
            if (all["ipc.name"] as string != name || (direction is not null && all["network.io.direction"] as string != direction))
                return; // other tests run at the same time
            Assert.Equal(Service, all["ipc.gateway.service"]);
            Assert.Contains(all["ipc.gateway.kind"], new object[] { "export", "import", "topic" });
            found.Add(number);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return found.Count == 0 ? -1 : Assert.Single(found);
    }
}
