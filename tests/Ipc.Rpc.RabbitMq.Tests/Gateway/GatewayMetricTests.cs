using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
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
        Assert.InRange(export.Requests, 1, long.MaxValue); // the import has asked what there is,
        Assert.Equal(0, Of("ipc.gateway.calls", Here)); // which is no call
        Task<string> call = near.For<IFarm>().DoAsync(1, Cancel).AsTask();
        Watchdog.Until(() => Of("ipc.gateway.calls.pending", Here) == 1, "the call to be under way");
        gate.SetResult();
        Assert.Equal("here", await call.WaitAsync(Patience, Cancel));
        Watchdog.Until(() => Of("ipc.gateway.calls.pending", Here) == 0, "the call to be over");
        IFarm direct = (await ConnectAsync()).For<IFarm>();
        await FailsAsync(RpcStatus.PermissionDenied, async () => await direct.DoAgainAsync(2, Cancel));
        Assert.Equal((1, 1, 0), (Of("ipc.gateway.calls", There), Of("ipc.gateway.calls.refused", Here), Of("ipc.gateway.dead_letters", Here)));
        Assert.Equal(2, Of("ipc.gateway.calls", Here));

        await export.DisposeAsync();
        await export.DisposeAsync();
        Assert.Equal(2, Of("ipc.gateway.calls", Here)); // a counter does not go back
        Assert.Equal((-1, -1), (Of("ipc.gateway.serving", Here), Of("ipc.gateway.calls.pending", Here))); // of what has ended nothing serves, for ever
        ExportOptions.Methods.Clear();
        Serves(Export());
        await direct.DoAgainAsync(3, Cancel);
        Assert.Equal(3, Of("ipc.gateway.calls", Here));
        Assert.Equal((1, 1), (Of("ipc.gateway.calls.refused", Here), Of("ipc.gateway.serving", Here)));
    }

    /// <summary>Whatever else comes, and however often: a message of somebody else, a call that was refused, one whose connection went.</summary>
    [Fact]
    public async Task ACallIsCountedWhenItComesForTheFirstTime()
    {
        using BadNetwork network = new(Broker.EndPoint);
        Farm farm = new("here");
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        farm.After = (_, _) => gate.Task;
        Own(RpcServer.Start(Here, FarmRpc.Service(farm)));
        ExportOptions.Methods.Add("farm.v1/Do");
        ExportOptions.Broker = ServerOptions;
        RabbitMqExport export = Mine(RabbitMqExport.Start(Here, AddressAt(network.Port), ExportOptions));
        Serves(export);
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        await channel.BasicPublishAsync("", "ipc." + Service, true, new BasicProperties { Type = "else" }, new byte[] { 1 }, Cancel);
        Watchdog.Until(() => export.DeadLetters == 1, "what is no request to be set aside");
        Assert.Equal(0, Counted("ipc.gateway.calls"));

        Task<string> call = (await ConnectAsync()).For<IFarm>().DoAsync(1, Cancel).AsTask();
        Watchdog.Until(() => farm.All.Count == 1, "the call to be under way");
        network.Cut();
        Watchdog.Until(() => farm.All.Count == 2, "it to come again");
        gate.SetResult();
        Assert.Equal("here", await call.WaitAsync(Patience, Cancel));
        Assert.Equal((1, 0), (Counted("ipc.gateway.calls"), Counted("ipc.gateway.calls.refused")));

        foreach (int attempt in new[] { 1, 2 }) // as who makes it again says
            await channel.BasicPublishAsync(
                "", "ipc." + Service, true,
                new BasicProperties { Type = "ipc-rpc/1", MessageId = "1", Headers = new Dictionary<string, object?> { ["ipc-method"] = "farm.v1/Note", ["ipc-attempt"] = attempt } },
                new byte[] { 8, 1 }, Cancel);
        Watchdog.Until(() => export.DeadLetters == 3, "both to be refused");
        Assert.Equal((2, 1), (Counted("ipc.gateway.calls"), Counted("ipc.gateway.calls.refused")));

        long Counted(string instrument) => Of(instrument, Here, port: network.Port);
    }

    /// <summary>One name of this machine, one service: at another broker it is another part, and its trouble is not the first one's.</summary>
    [Fact]
    public void PartsAtTwoBrokersAreTwo()
    {
        Own(RpcServer.Start(Here, FarmRpc.Service(new Farm("here"))));
        Serves(Export());
        RabbitMqExport other = Mine(RabbitMqExport.Start(Here, AddressAt(1), ExportOptions));
        Says(() => other.Trouble?.Contains("127.0.0.1:1", StringComparison.Ordinal) == true, () => other.Trouble);
        Assert.Equal((1, 0), (Of("ipc.gateway.serving", Here), Of("ipc.gateway.serving", Here, port: 1)));
        Serves(Export());
        Assert.Equal((2, 0), (Of("ipc.gateway.serving", Here), Of("ipc.gateway.serving", Here, port: 1))); // parts
    }

    /// <summary>One of them ends, then the other, then there is another one.</summary>
    [Fact]
    public void WhatPartsOfOneKeyDidIsOneNumber()
    {
        object[] parts = [new(), new(), new()];
        Add(parts[0], Here, 1);
        Add(parts[1], Here, 2);
        Assert.Equal((3, 2), (Of("ipc.gateway.calls", Here), Of("ipc.gateway.serving", Here)));
        GatewayMetrics.Remove(parts[0]);
        Assert.Equal((3, 1), (Of("ipc.gateway.calls", Here), Of("ipc.gateway.serving", Here)));
        GatewayMetrics.Remove(parts[1]);
        Assert.Equal((3, -1), (Of("ipc.gateway.calls", Here), Of("ipc.gateway.serving", Here)));
        Add(parts[2], Here, 4);
        Assert.Equal((7, 1), (Of("ipc.gateway.calls", Here), Of("ipc.gateway.serving", Here)));
        GatewayMetrics.Remove(parts[2]);
    }

    /// <summary>Names may change for ever.</summary>
    [Fact]
    public void OfPartsThatHaveEndedTheLastThousandKeysAreKnown()
    {
        for (int i = 0; i <= 1000; i++)
        {
            object part = new();
            Add(part, Here + i, 1);
            GatewayMetrics.Remove(part);
        }

        Assert.Equal(-1, Of("ipc.gateway.calls", Here + 0));
        Assert.Equal(1, Of("ipc.gateway.calls", Here + 500)); // others end, too, at the same time
    }

    private void Add(object part, string name, long calls) => GatewayMetrics.Add(
        part, GatewayMetrics.Export, name, RabbitMqAddress.Parse(Address), () => new GatewayPart { Calls = calls, Serving = 1 });

    /// <summary>It is said, and tried again; and when it is disposed nothing of it remains.</summary>
    [Fact]
    public async Task AnExportServesInSpiteOfWhatMayBeThrownAndIsGoneAfterItsEnd()
    {
        Own(RpcServer.Start(Here, FarmRpc.Service(new Farm("here"))));
        using ThrowsOnce thrown = Own(new ThrowsOnce(Here));
        ExportOptions.Changed = _ => throw new InvalidOperationException(Here);
        RabbitMqExport export = Export();
        Watchdog.Until(() => thrown.HasThrown, "what nobody expects");
        Serves(export);
        await export.DisposeAsync();
        Assert.Equal(-1, Of("ipc.gateway.serving", Here));
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
    private long Of(string instrument, string name, string? direction = null, int? port = null)
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
            if (all.GetValueOrDefault("ipc.gateway.broker") is string at && at != "127.0.0.1:" + (port ?? Broker.Port) + "/%2F")
                return;
            Assert.Equal(Service, all["ipc.gateway.service"]);
            Assert.Contains(all["ipc.gateway.kind"], new object[] { "export", "import", "topic" });
            found.Add(number);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return found.Count == 0 ? -1 : Assert.Single(found);
    }

    /// <summary>A listener of traces that throws at the first one with some words: something that this product does not expect.</summary>
    private sealed class ThrowsOnce : TraceListener
    {
        private readonly string _words;
        private int _thrown;

        public ThrowsOnce(string words)
        {
            _words = words;
            Trace.Listeners.Add(this);
        }

        public bool HasThrown => Volatile.Read(ref _thrown) != 0;

        public override void Write(string? message) => WriteLine(message);

        public override void WriteLine(string? message)
        {
            if (message?.Contains(_words, StringComparison.Ordinal) == true && Interlocked.Exchange(ref _thrown, 1) == 0)
                throw new InvalidTimeZoneException(_words);
        }

        protected override void Dispose(bool disposing)
        {
            Trace.Listeners.Remove(this);
            base.Dispose(disposing);
        }
    }
}
