using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Traffic whose content is checked, while something is done to those who carry it.</summary>
public abstract class StormTest(BrokerProcess broker) : RabbitMqTest(broker)
{
    private const int Senders = 4;

    private readonly ConcurrentQueue<int> _acknowledged = new();
    private readonly ConcurrentDictionary<RpcStatus, int> _failures = new();
    private int _number;
    private volatile bool _isCalm;

    protected int Acknowledged => _acknowledged.Count;

    protected static int Kills => Switches.LongRuns ? 15 : 2;

    /// <summary>While a broker starts, and for nothing else: the traffic goes on, with pauses, and leaves the processors to that. Long runs have none of it.</summary>
    protected void Calmly(Action start)
    {
        _isCalm = !Switches.LongRuns;
        start();
        _isCalm = false;
    }

    private protected async Task StormAsync(string what, int times, ConcurrentQueue<Farm.Handled> all, string address, Action blow, Func<int, Task>? further = null)
    {
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true;
        options.Retry = new RpcRetryPolicy { Attempts = 1000, FirstPause = TimeSpan.FromMilliseconds(20), LongestPause = TimeSpan.FromMilliseconds(200) };
        IFarm client = (await ConnectAsync(options, address)).For<IFarm>();
        using CancellationTokenSource over = new();
        List<Task> senders = [];
        for (int i = 0; i < Senders; i++)
        {
            senders.Add(SendAsync(async number => await client.NoteAsync(number, Cancel), over.Token));
            senders.Add(SendAsync(async number => Assert.Contains(await client.DoAsync(number, Cancel), new[] { "one", "two" }), over.Token));
            if (further is not null)
                senders.Add(SendAsync(further, over.Token));
            senders.Add(SendAsync(async number => Assert.Contains(await client.DoAgainAsync(number, Cancel), new[] { "one", "two" }), over.Token));
        }

        for (int time = 0; time < times; time++)
        {
            int before = _acknowledged.Count;
            Watchdog.Until(() => _acknowledged.Count >= before + (what == "cuts" ? 100 : 300) || senders.Exists(static sender => sender.IsFaulted), "traffic");
            blow();
        }

        int last = _acknowledged.Count;
        Watchdog.Until(() => _acknowledged.Count >= last + 300 || senders.Exists(static sender => sender.IsFaulted), "traffic after the last one");
        over.Cancel();
        await Task.WhenAll(senders).WaitAsync(Patience, Cancel);

        HashSet<int> acknowledged = [.. _acknowledged];
        Watchdog.Until(() => acknowledged.IsSubsetOf(all.Select(static one => one.Number)), "all that was acknowledged to be handled", TimeSpan.FromSeconds(20));
        int lost = acknowledged.Except(all.Select(static one => one.Number)).Count();
        // Of the deliveries of one request the first alone has no mark. It need not be handled first: a server that is cut off learns that after the broker, which has
        // given the request to the other one, with the mark, by then.
        int unflagged = all.GroupBy(static one => one.Number).Sum(static group => Math.Max(0, group.Count(static one => !one.IsMarked) - 1));
        int repeated = all.Count - all.Select(static one => one.Number).Distinct().Count();
        string line = $"{what} {times}, acknowledged {acknowledged.Count}, lost {lost}, repeated unflagged {unflagged}";
        TestContext.Current.TestOutputHelper!.WriteLine(line);
        TestContext.Current.TestOutputHelper!.WriteLine($"(repeated {repeated}; ended otherwise: {string.Join(", ", _failures)})");
        Console.WriteLine(line);
        string[] wrong = [.. all.GroupBy(static one => one.Number).Where(static group => group.Count(static one => !one.IsMarked) > 1).Select(static group => string.Join(", then ", group))];
        Assert.True((lost, unflagged) == (0, 0), $"{line}: {string.Join("; ", wrong)}");
        Assert.All(_failures.Keys, static status => Assert.Equal(RpcStatus.Unavailable, status)); // each ended, and typed
    }

    /// <summary>Sends numbers that nobody else sends, until it is over. Whatever ends otherwise than with success or as unavailable ends the storm.</summary>
    private async Task SendAsync(Func<int, Task> send, CancellationToken over)
    {
        while (!over.IsCancellationRequested)
        {
            if (_isCalm)
                await Task.Delay(50, CancellationToken.None);
            int number = Interlocked.Increment(ref _number);
            try
            {
                await send(number).WaitAsync(Patience, CancellationToken.None);
                _acknowledged.Enqueue(number);
            }
            catch (RpcCallException e)
            {
                _failures.AddOrUpdate(e.Status, 1, static (_, before) => before + 1);
                await Task.Delay(10, CancellationToken.None); // it would fail thousands of times until a broker is back, which needs the processors for that
            }
        }
    }
}
