using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>The broker is killed and started again under load.</summary>
public sealed class StormTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    private const int Senders = 4;

    private readonly ConcurrentQueue<int> _acknowledged = new();
    private readonly ConcurrentDictionary<RpcStatus, int> _failures = new();
    private int _number;

    private static int Kills => Environment.GetEnvironmentVariable("IPC_TEST_LONG") is { Length: > 0 } ? 15 : 2;

    [Fact]
    public async Task NothingAcknowledgedIsLostAndWhatComesAgainIsMarked()
    {
        ConcurrentQueue<Farm.Handled> all = new();
        await ServeAsync(FarmRpc.Service(new Farm("one") { All = all }));
        await ServeAsync(FarmRpc.Service(new Farm("two") { All = all }));
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        options.Retry = new RpcRetryPolicy { Attempts = 1000, FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(200) };
        IFarm client = (await ConnectAsync(options)).For<IFarm>();
        using CancellationTokenSource over = new();
        List<Task> senders = [];
        for (int i = 0; i < Senders; i++)
        {
            senders.Add(SendAsync(async number => await client.NoteAsync(number, Cancel), over.Token));
            senders.Add(SendAsync(async number => Assert.Contains(await client.DoAsync(number, Cancel), new[] { "one", "two" }), over.Token));
            senders.Add(SendAsync(async number => Assert.Contains(await client.DoAgainAsync(number, Cancel), new[] { "one", "two" }), over.Token));
        }

        for (int kill = 0; kill < Kills; kill++)
        {
            int before = _acknowledged.Count;
            Watchdog.Until(() => _acknowledged.Count >= before + 300 || senders.Exists(static sender => sender.IsFaulted), "traffic");
            Broker.Kill();
            Broker.Restart();
            Broker.WaitUntilReady();
        }

        int last = _acknowledged.Count;
        Watchdog.Until(() => _acknowledged.Count >= last + 300 || senders.Exists(static sender => sender.IsFaulted), "traffic after the last kill");
        over.Cancel();
        await Task.WhenAll(senders).WaitAsync(Patience, Cancel);

        HashSet<int> acknowledged = [.. _acknowledged];
        Watchdog.Until(() => acknowledged.IsSubsetOf(all.Select(static one => one.Number)), "all that was acknowledged to be handled", TimeSpan.FromSeconds(20));
        int lost = acknowledged.Except(all.Select(static one => one.Number)).Count();
        int unflagged = all.GroupBy(static one => one.Number).Sum(static group => group.Skip(1).Count(static again => !again.IsMarked));
        int repeated = all.Count - all.Select(static one => one.Number).Distinct().Count();
        string line = $"kills {Kills}, acknowledged {acknowledged.Count}, lost {lost}, repeated unflagged {unflagged}";
        TestContext.Current.TestOutputHelper!.WriteLine(line);
        TestContext.Current.TestOutputHelper!.WriteLine($"(repeated {repeated}; ended otherwise: {string.Join(", ", _failures)})");
        Console.WriteLine(line);
        Assert.Equal((0, 0), (lost, unflagged));
        Assert.All(_failures.Keys, static status => Assert.Equal(RpcStatus.Unavailable, status)); // each ended, and typed
    }

    /// <summary>Sends numbers that nobody else sends, until it is over. Whatever ends otherwise than with success or as unavailable ends the storm.</summary>
    private async Task SendAsync(Func<int, Task> send, CancellationToken over)
    {
        while (!over.IsCancellationRequested)
        {
            int number = Interlocked.Increment(ref _number);
            try
            {
                await send(number).WaitAsync(Patience, CancellationToken.None);
                _acknowledged.Enqueue(number);
            }
            catch (RpcCallException e)
            {
                _failures.AddOrUpdate(e.Status, 1, static (_, before) => before + 1);
            }
        }
    }
}
