using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Calls of every kind that end in every way, at random: all of them end, and nothing of them stays with a token that lives on. IPC_FUZZ_SEED=n repeats one seed.</summary>
[Collection(nameof(Alone))]
public sealed class EndingTests
{
    private static readonly string[] _kinds = ["synchronous", "asynchronous", "never awaited", "progress", "one-way", "stream", "client stream", "duplex", "callback"];
    private static readonly string[] _ends = ["itself", "before", "while", "after", "deadline", "enumeration", "consumer", "error"];

    [Fact]
    public async Task HoweverCallsEndNothingIsLeftOnATokenThatLivesOn()
    {
        string? one = Environment.GetEnvironmentVariable("IPC_FUZZ_SEED");
        int first = string.IsNullOrEmpty(one) ? Random.Shared.Next(10_000_000) : int.Parse(one, CultureInfo.InvariantCulture);
        int rounds = !string.IsNullOrEmpty(one) ? 1 : Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 300 : 6;
        for (int seed = first; seed < first + rounds; seed++)
        {
            Console.WriteLine("EndingTests: seed " + seed);
            await Storm(seed);
        }
    }

    private static async Task Storm(int seed)
    {
        var random = new Random(seed);
        using var application = new CancellationTokenSource();
        RpcServer server = Serve(out string name, application.Token);
        var options = new RpcClientOptions { ToServerCapacity = random.Next(2) == 0 ? 4096 : 256 * 1024, StreamWindow = random.Next(2) == 0 ? 2 : 512, MaxQueuedBytes = random.Next(2) == 0 ? 2000 : 16 << 20 };
        options.Services.Add(Hand.Service(RpcHandler.UnaryAsync(Hand.Ask, static async (number, cancel) =>
        {
            await Task.Delay(Math.Abs(number % 3), cancel);
            return number;
        })));
        RpcClient client = RpcClient.Connect(name, options);
        int rudely = random.Next(4); // the server's end, the client's, or neither, comes in between
        Task[] workers = Enumerable.Range(0, 6).Select(_ =>
        {
            int own = random.Next();
            return Task.Run(() => Work(client, new Random(own), application.Token));
        }).ToArray();
        Task all = Task.WhenAll(workers);
        if (rudely == 0)
        {
            await Task.Delay(random.Next(30));
            server.Dispose();
        }
        else if (rudely == 1)
        {
            await Task.Delay(random.Next(30));
            client.Dispose();
        }

        await Eventually.Ends(all);
        if (rudely != 1)
            Eventually.True(() => SettledTests.PendingCalls(client) == 0, "every call has ended; seed " + seed);
        Eventually.True(
            () => Registrations.Count(application) == 0,
            "nothing is left with the token; seed " + seed.ToString(CultureInfo.InvariantCulture) + ", there is: " + Registrations.Count(application));
        client.Dispose();
        server.Dispose();
    }

    private static async Task Work(RpcClient client, Random random, CancellationToken application)
    {
        for (int i = 0; i < 60; i++)
        {
            using var own = new CancellationTokenSource();
            string end = _ends[random.Next(_ends.Length)];
            if (end == "before")
                own.Cancel();
            else if (end == "while")
                own.CancelAfter(random.Next(4));
            CancellationToken cancel = end is "before" or "while" or "after" ? own.Token : application;
            RpcClient caller = end == "deadline" ? client.WithTimeout(TimeSpan.FromMilliseconds(random.Next(4))) : client;
            try
            {
                await Eventually.Ends(Make(caller, random, _kinds[random.Next(_kinds.Length)], end, own, cancel, application));
            }
            catch (Exception e) when (e is RpcCallException or OperationCanceledException or ObjectDisposedException)
            {
                // As it was meant to.
            }

            if (end == "after")
                own.Cancel();
        }
    }

    private static async Task Make(RpcClient client, Random random, string kind, string end, CancellationTokenSource own, CancellationToken cancel, CancellationToken application)
    {
        int number = end == "error" ? -1 : random.Next(4);
        int most = end == "consumer" ? random.Next(3) : int.MaxValue;
        CancellationToken enumeration = default;
        if (end == "enumeration")
        {
            own.CancelAfter(random.Next(3));
            enumeration = own.Token;
        }
        else if (random.Next(2) == 0)
        {
            enumeration = application;
        }

        switch (kind)
        {
            case "synchronous":
                client.Call(Hand.Ask, number, cancel);
                break;
            case "asynchronous":
                await client.CallAsync(Hand.Ask, number, cancel);
                break;
            case "never awaited":
#pragma warning disable CA2012 // that nobody ever awaits it is the point
                _ = client.CallAsync(Hand.Ask, number, cancel);
#pragma warning restore CA2012
                break;
            case "progress":
                await client.CallAsync(Hand.Work, number, new Reports(), cancel);
                break;
            case "one-way":
                await client.NotifyAsync(Hand.Tell, number, cancel);
                break;
            case "stream":
                await Consume(client.Stream(Hand.Items, number * 10, cancel), most, enumeration);
                break;
            case "client stream":
                await client.ClientStream(Hand.Sum, number, Source(random, end), cancel);
                break;
            case "duplex":
                await Consume(client.Duplex(Hand.Scale, number, Source(random, end), cancel), most, enumeration);
                break;
            default:
                await client.CallAsync(Hand.Third, number, cancel);
                break;
        }
    }

    private static Source Source(Random random, string end)
        => new(random.Next(20), end == "error" ? static (number, _) => number == 3 ? throw new RpcCallException(RpcStatus.Aborted, "the source's") : default : null);

    private static async Task Consume(IAsyncEnumerable<int> items, int most, CancellationToken cancel)
    {
        if (most == 0)
            return;
        await foreach (int _ in items.WithCancellation(cancel))
        {
            if (--most == 0)
                break;
        }
    }

    private static RpcServer Serve(out string name, CancellationToken application) => Hand.Serve(
        out name,
        RpcHandler.UnaryAsync(Hand.Ask, static async (number, cancel) =>
        {
            if (number < 0)
                throw new RpcCallException(RpcStatus.NotFound, "no");
            if (number > 1)
                await Task.Delay(number - 1, cancel);
            return number;
        }),
        RpcHandler.OneWay(Hand.Tell, static _ => { }),
        RpcHandler.UnaryAsync(Hand.Third, (number, _) => RpcContext.Current!.Caller.CallAsync(Hand.Ask, number, application)),
        RpcHandler.UnaryProgress(Hand.Work, static async (number, progress, cancel) =>
        {
            for (int i = 0; i < 3; i++)
            {
                progress.Report(i);
                await Task.Delay(Math.Max(0, number - 2), cancel);
            }

            return number >= 0 ? number : throw new RpcCallException(RpcStatus.NotFound, "no");
        }),
        RpcHandler.ServerStream(Hand.Items, static (number, _) => new Source(Math.Max(0, number), static (item, cancel) => item % 7 == 0 ? new ValueTask(Task.Delay(1, cancel)) : default)),
        RpcHandler.ClientStream(Hand.Sum, async (number, items, _) =>
        {
            await foreach (int item in items.WithCancellation(application))
                number += item;
            return number >= 0 ? number : throw new RpcCallException(RpcStatus.NotFound, "no");
        }),
        RpcHandler.Duplex(Hand.Scale, (number, items, _) => Scale(number, items.GetAsyncEnumerator(application)))); // by hand, and not disposed

    private static async IAsyncEnumerable<int> Scale(int number, IAsyncEnumerator<int> each)
    {
        while (await each.MoveNextAsync())
            yield return number * each.Current;
    }

    private sealed class Reports : IProgress<int>
    {
        public void Report(int value)
        {
        }
    }
}
