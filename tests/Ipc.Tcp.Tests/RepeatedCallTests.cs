using System;
using System.IO;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>The network breaks between a request and its answer: what the client does then is the method's affair.</summary>
public sealed class RepeatedCallTests : TcpTest
{
    private sealed class Ledger : ILedger
    {
        private int _begun;
        private int _done;

        public int Begun => Volatile.Read(ref _begun);

        public int Done => Volatile.Read(ref _done);

        /// <summary>Until then no handler ends.</summary>
        public ManualResetEventSlim Goes { get; } = new();

        public int Read(string what) => Do();

        public int Add(string what) => Do();

        public int Book(string what) => Do();

        private int Do()
        {
            Interlocked.Increment(ref _begun);
            Goes.Wait();
            return Interlocked.Increment(ref _done);
        }
    }

    private static RpcClient Client() => RpcClient.Create("here", new RpcClientOptions
    {
        Retry = new RpcRetryPolicy { Attempts = 20 },
        CallTimeout = Watchdog.Patience,
    });

    private BadNetwork OpenWay()
    {
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        return network;
    }

    [Fact]
    public void ACallThatMayBeMadeTwiceIsMadeAgain()
    {
        Ledger ledger = new();
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(ledger));
        BadNetwork network = OpenWay();
        using RpcClient client = Client();
        Background call = Run(() => Assert.InRange(LedgerRpc.Client(client).Read("x"), 1, 4));
        for (int cuts = 1; cuts <= 3; cuts++)
        {
            Watchdog.Until(() => ledger.Begun == cuts, "the call to get there");
            network.Cut();
        }

        Watchdog.Until(() => ledger.Begun == 4, "the call to get there once more");
        ledger.Goes.Set();
        call.Join();
    }

    [Fact]
    public void AnotherCallIsNotAndEndsAsOneOfWhichNothingIsKnown()
    {
        Ledger ledger = new();
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(ledger));
        BadNetwork network = OpenWay();
        using RpcClient client = Client();
        Background call = Run(() =>
        {
            RpcCallException error = Assert.Throws<RpcCallException>(() => LedgerRpc.Client(client).Add("x"));
            Assert.Equal((RpcStatus.Unavailable, false), (error.Status, error.IsUnsent));
        });
        Watchdog.Until(() => ledger.Begun == 1, "the call to get there");
        network.Cut();
        call.Join();
        ledger.Goes.Set();
        Watchdog.Until(() => ledger.Done == 1, "the handler to end");
        Assert.Equal(2, LedgerRpc.Client(client).Add("x")); // the way is there again, and the first one was not repeated
        Assert.Equal(2, ledger.Begun);
    }

    /// <summary>Who had no way at all knows that nothing was done: it is repeated, whatever it is.</summary>
    [Fact]
    public void ACallThatFoundNoWayIsMadeAgain()
    {
        Ledger ledger = new();
        ledger.Goes.Set();
        using RpcServer server = RpcServer.Start("there", LedgerRpc.Service(ledger));
        BadNetwork network = OpenWay();
        using RpcClient client = Client();
        Assert.Equal(1, LedgerRpc.Client(client).Add("x"));
        network.Refuses = true;
        network.Cut();
        int before = network.Connections;
        Background call = Run(() => Assert.Equal(2, LedgerRpc.Client(client).Add("x")));
        Watchdog.Until(() => network.Connections > before, "the client to look for a way");
        network.Refuses = false;
        call.Join();
        Assert.Equal(2, ledger.Begun);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ACallThatIsExecutedOnceIsHoweverOftenTheNetworkBreaks(bool hasStore)
    {
        Ledger ledger = new();
        using FileOnceStore? store = hasStore ? new FileOnceStore(Path.Combine(Regions.Path, "ledger.once")) : null;
        LeavesFiles = hasStore;
        using RpcServer server = RpcServer.Start("there", new RpcServerOptions { Once = { Store = store } }, LedgerRpc.Service(ledger));
        BadNetwork network = OpenWay();
        using RpcClient client = Client();
        Background call = Run(() => Assert.Equal(1, LedgerRpc.Client(client).Book("x")));
        Watchdog.Until(() => ledger.Begun == 1, "the call to get there");
        for (int cuts = 0; cuts < 3; cuts++)
        {
            int before = network.Connections;
            network.Cut();
            Watchdog.Until(() => network.Connections > before, "the client to come again");
        }

        ledger.Goes.Set();
        call.Join();
        Assert.Equal((1, 1), (ledger.Begun, ledger.Done));
    }

    /// <summary>The answer finds no way, and its server ends: the next one has it from the store.</summary>
    [Fact]
    public void TheNextServerAnswersFromTheStoreWhatTheNetworkKeptBack()
    {
        LeavesFiles = true;
        string path = Path.Combine(Regions.Path, "ledger.once");
        Ledger first = new(), second = new();
        BadNetwork network = OpenWay();
        using RpcClient client = Client();
        Background call;
        using (FileOnceStore store = new(path))
        using (RpcServer server = RpcServer.Start("there", new RpcServerOptions { Once = { Store = store } }, LedgerRpc.Service(first)))
        {
            call = Run(() => Assert.Equal(1, LedgerRpc.Client(client).Book("x")));
            Watchdog.Until(() => first.Begun == 1, "the call to get there");
            network.Refuses = true;
            network.Cut();
            first.Goes.Set();
            Watchdog.Until(() => first.Done == 1, "the handler to end");
            End(server); // it is about to return: what it has done is stored behind that
        }

        second.Goes.Set();
        using (FileOnceStore store = new(path))
        using (RpcServer server = RpcServer.Start("there", new RpcServerOptions { Once = { Store = store } }, LedgerRpc.Service(second)))
        {
            network.Refuses = false;
            call.Join();
            Assert.Equal((1, 0), (first.Done, second.Begun));
            Assert.Equal(1, LedgerRpc.Client(client).Book("y")); // a call of its own is executed there
        }
    }
}
