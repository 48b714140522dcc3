using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>Calls by several threads, while the network breaks, and the server and both ends of the way end and come again: what must not be done twice is not, and what was answered was done.</summary>
public sealed class CallStormTests : TcpTest
{
    private const int Callers = 4;

    private static readonly int s_events = Switches.LongRuns ? 2000 : Switches.FullRuns ? 150 : 40;

    private readonly Ledger _ledger = new();
    private TcpEntrance? _entrance;
    private TcpExit? _exit;
    private RpcServer? _server;
    private FileOnceStore? _store;
    private volatile bool _over;
    private int _answered;

    public CallStormTests()
    {
        LeavesFiles = true;
        EntranceOptions.Alive = ExitOptions.Alive = TimeSpan.FromMilliseconds(100);
    }

    private sealed class Ledger : ILedger
    {
        private readonly ConcurrentDictionary<string, int> _done = new();

        public int Done(string what) => _done.GetValueOrDefault(what);

        public int Read(string what) => Do(what);

        public int Add(string what) => Do(what);

        public int Book(string what) => Do(what);

        private int Do(string what)
        {
            if (what.Length % 3 == 0)
                Thread.Sleep(1); // some are still there when their server ends
            return _done.AddOrUpdate(what, 1, static (_, done) => done + 1);
        }
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 30)]
    public void NothingIsDoneTwiceThatMustNotBe(int seed, int idleTimeout)
    {
        if (Switches.LongRuns)
            seed = Environment.TickCount;
        Random random = new(seed);
        EntranceOptions.IdleTimeout = TimeSpan.FromMilliseconds(idleTimeout);
        _entrance = TcpEntrance.Open(EntranceOptions);
        EntranceOptions.Endpoint = _entrance.Endpoint;
        BadNetwork network = OpenNetwork(_entrance);
        string address = AddressOf(network);
        _exit = TcpExit.Open("here", address, ExitOptions);
        Begin();
        Background[] calling = [.. Enumerable.Range(0, Callers).Select(caller => Run(() => Call(caller, seed + caller)))];
        for (int i = 0; i < s_events; i++)
        {
            Thread.Sleep(random.Next(random.Next(3) == 0 ? 200 : 30));
            Happen(random, network, address);
        }

        network.CutAfter(int.MaxValue);
        int before = Volatile.Read(ref _answered);
        Watchdog.Until(() => Volatile.Read(ref _answered) > before + 20, "calls to be answered again");
        _over = true;
        foreach (Background each in calling)
            each.Join();
        End();
        _exit.Dispose();
        _entrance.Dispose();
    }

    private void Begin()
    {
        _store = new FileOnceStore(Path.Combine(Regions.Path, "ledger.once"));
        _server = RpcServer.Start("there", new RpcServerOptions { Once = { Store = _store } }, LedgerRpc.Service(_ledger));
    }

    private void End()
    {
        End(_server!);
        _store!.Dispose(); // every call that was begun has its outcome there
    }

    private void Happen(Random random, BadNetwork network, string address)
    {
        switch (random.Next(6))
        {
            case 0:
                network.Cut();
                break;
            case 1:
                network.CutAfter(random.Next(1, random.Next(2) == 0 ? 300 : 10_000));
                break;
            case 2:
                _exit!.Dispose();
                _exit = TcpExit.Open("here", address, ExitOptions);
                break;
            case 3:
                _entrance!.Dispose();
                _entrance = TcpEntrance.Open(EntranceOptions);
                break;
            default:
                End(); // in good order: what it has not begun is done by the next one
                Begin();
                break;
        }
    }

    private void Call(int caller, int seed)
    {
        Random random = new(seed);
        using RpcClient client = RpcClient.Create("here", new RpcClientOptions
        {
            Retry = new RpcRetryPolicy { Attempts = 1000, FirstPause = TimeSpan.FromMilliseconds(1), LongestPause = TimeSpan.FromMilliseconds(20) },
            CallTimeout = Watchdog.Patience,
        });
        ILedger ledger = LedgerRpc.Client(client);
        for (int n = 0; !_over; n++)
        {
            string what = $"{caller}/{n}" + new string('x', random.Next(random.Next(10) == 0 ? 20_000 : 100));
            int kind = random.Next(3);
            bool isAnswered = false, isUnsent = false;
            try
            {
                _ = kind == 0 ? ledger.Read(what) : kind == 1 ? ledger.Add(what) : ledger.Book(what);
                isAnswered = true;
                Interlocked.Increment(ref _answered);
            }
            catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable && kind == 1)
            {
                isUnsent = e.IsUnsent;
            }

            int done = _ledger.Done(what);
            Assert.True(done >= 1 || !isAnswered, $"call {what.Length} of kind {kind} was answered and never done");
            Assert.True(done == 0 || !isUnsent, $"a call that is said not to have been done was done {done} times");
            Assert.True(done <= 1 || kind == 0, $"a call of kind {kind} was done {done} times");
            if (random.Next(20) == 0)
                Thread.Sleep(random.Next(100));
        }
    }
}
