using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Core.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using QuickStart;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>Calls, streams and deadlines through an exit: neither the generated code nor the server knows of it.</summary>
public sealed class CallTests : TcpTest
{
    private sealed class Quotes : IQuotes
    {
        private int _calls;

        public int Calls => Volatile.Read(ref _calls);

        public ManualResetEventSlim Holds { get; } = new(true);

        public Quote Get(QuoteRequest request)
        {
            Interlocked.Increment(ref _calls);
            Holds.Wait();
            return new Quote(request.Symbol, request.Symbol.Length);
        }

        public async IAsyncEnumerable<Quote> Watch(QuoteRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
        {
            for (int i = 0; i < 100_000; i++)
            {
                yield return new Quote(request.Symbol, i);
                if (i % 100 == 0)
                    await Task.Yield();
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    private static RpcServer Start(Quotes quotes) => RpcServer.Start("there", QuotesRpc.Service(quotes));

    [Fact]
    public async Task CallsAndStreamsGoThere()
    {
        using RpcServer server = Start(new Quotes());
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        IQuotes quotes = QuotesRpc.Client(client);
        for (int i = 1; i < 500; i++)
            Assert.Equal(i, quotes.Get(new QuoteRequest(new string('x', i))).Price);
        Assert.Equal(300_000, quotes.Get(new QuoteRequest(new string('x', 300_000))).Price);
        int next = 0;
        await foreach (Quote quote in quotes.Watch(new QuoteRequest("EURUSD"), TestContext.Current.CancellationToken))
            Assert.Equal(next++, quote.Price);
        Assert.Equal(100_000, next);
        next = 0;
        await foreach (Quote quote in quotes.Watch(new QuoteRequest("EURUSD"), TestContext.Current.CancellationToken))
        {
            Assert.Equal(next, quote.Price);
            if (++next == 1000)
                break;
        }
    }

    [Fact]
    public void ADeadlinePassesAlthoughTheNetworkIsSilent()
    {
        using RpcServer server = Start(new Quotes());
        BadNetwork network = OpenNetwork(OpenEntrance());
        ExitOptions.Alive = TimeSpan.FromSeconds(30);
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        IQuotes quotes = QuotesRpc.Client(client);
        quotes.Get(new QuoteRequest("x"));
        network.Hold();
        RpcCallException error = Assert.Throws<RpcCallException>(() => QuotesRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(200))).Get(new QuoteRequest("x")));
        Assert.Equal(RpcStatus.DeadlineExceeded, error.Status);
        network.LetGo();
        Assert.Equal(2, quotes.Get(new QuoteRequest("xy")).Price);
    }

    /// <summary>Of a call that was on its way nobody knows, and it is said; the next one finds the way anew.</summary>
    [Fact]
    public void ACallWhoseWayIsLostEndsAsOneOfWhichNothingIsKnown()
    {
        var service = new Quotes();
        using RpcServer server = Start(service);
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        IQuotes quotes = QuotesRpc.Client(client);
        service.Holds.Reset();
        Background calls = Run(() =>
        {
            RpcCallException error = Assert.Throws<RpcCallException>(() => quotes.Get(new QuoteRequest("x")));
            Assert.Equal((RpcStatus.Unavailable, false), (error.Status, error.IsUnsent));
        });
        Watchdog.Until(() => service.Calls == 1, "the call to get there");
        network.Cut();
        calls.Join();
        service.Holds.Set();
        Assert.Equal(2, quotes.Get(new QuoteRequest("xy")).Price);
    }

    [Fact]
    public async Task AServerThatIsRestartedInGoodOrderFailsNoCall()
    {
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        RpcServer server = Start(new Quotes());
        bool over = false;
        Background[] callers = [.. Enumerable.Range(0, 3).Select(number => Run(() =>
        {
            using RpcClient client = RpcClient.Create("here", new RpcClientOptions { WaitForReady = true });
            IQuotes quotes = QuotesRpc.Client(client);
            while (!Volatile.Read(ref over))
                Assert.Equal(number + 1, quotes.Get(new QuoteRequest(new string('x', number + 1))).Price);
        }))];
        for (int i = 0; i < 15; i++)
        {
            Thread.Sleep(30);
            await server.StopAsync(TestContext.Current.CancellationToken);
            server = Start(new Quotes());
        }

        Volatile.Write(ref over, true);
        foreach (Background caller in callers)
            caller.Join();
        await server.StopAsync(TestContext.Current.CancellationToken);
    }
}
