using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>The broker is killed and started again under load, and servers lose their connections.</summary>
public sealed class StormTests(BrokerProcess broker) : StormTest(broker)
{
    private static int Cuts => Kills * 10;

    [Fact]
    public async Task NothingAcknowledgedIsLostAndWhatComesAgainIsMarked()
    {
        await HaveBrokerAloneAsync();
        ConcurrentQueue<Farm.Handled> all = new();
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = all }));
        await ServeAsync(FarmRpc.Service(new Farm("two") { All = all }));
        await StormAsync("kills", Kills, all, Address, () =>
        {
            Broker.Kill();
            Broker.Restart();
            Broker.WaitUntilReady();
        });
    }

    /// <summary>As the ends of their processes: what they have in hand ends there, before it has had its effect.</summary>
    [Fact]
    public async Task WhatServersHaveInHandThatGoIsHandledByOthers()
    {
        ConcurrentQueue<Farm.Handled> all = new();
        List<BadNetwork> networks = [];
        try
        {
            foreach (string name in new[] { "one", "two" })
            {
                networks.Add(new BadNetwork(Broker.EndPoint));
                await ServeAsync(FarmRpc.Service(new Farm(name) { All = all, Before = static cancel => Task.Delay(2, cancel) }), address: AddressAt(networks[^1].Port));
            }

            int next = 0;
            await StormAsync("cuts", Cuts, all, Address, () => networks[++next % 2].Cut());
        }
        finally
        {
            networks.ForEach(static network => network.Dispose());
        }
    }
}
