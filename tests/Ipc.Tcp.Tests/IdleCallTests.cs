using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>What an entrance that ends idle connections does to calls: it carries bytes, and does not know whether somebody waits for more.</summary>
public sealed class IdleCallTests : TcpTest
{
    public IdleCallTests()
    {
        ExitOptions.Alive = EntranceOptions.Alive = TimeSpan.FromMilliseconds(300);
        EntranceOptions.IdleTimeout = TimeSpan.FromMilliseconds(500);
    }

    /// <summary>Nobody reads what the exit says to this client: it finds out as it sends.</summary>
    [Fact]
    public void OneWayCallsFindTheirWayAgain()
    {
        Desk desk = new();
        using RpcServer server = RpcServer.Start("there", DeskRpc.Service(desk));
        TcpEntrance entrance = OpenEntrance();
        BadNetwork network = OpenNetwork(entrance);
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        for (int i = 1; i <= 3; i++)
        {
            DeskRpc.Client(client).Note($"{i}");
            Watchdog.Until(() => entrance.Count == 0, "the idle connection to end");
            Thread.Sleep(200); // the exit's side of it ends just behind that
        }

        Watchdog.Until(() => desk.Notes.Count == 3, "the last one");
        Assert.Equal(["1", "2", "3"], desk.Notes);
        Assert.Equal(3, network.Connections);
    }

    /// <summary>It comes behind the entrance's last words, which its sender has not heard yet.</summary>
    [Fact]
    public async Task AOneWayCallThatIsMadeAsAConnectionEndsIsLost()
    {
        EntranceOptions.Alive = TimeSpan.FromSeconds(60); // the exit bears silence, and nothing but the last words is held
        Desk desk = new();
        using RpcServer server = RpcServer.Start("there", DeskRpc.Service(desk));
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        IDesk there = DeskRpc.Client(client);
        await using IAsyncEnumerator<int> items = there.Watch("x", TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await items.MoveNextAsync());
        network.HoldAnswers();
        Watchdog.Until(() => network.HeldAnswers == 1, "the last words");
        there.Note("lost");
        Thread.Sleep(300); // it gets there
        network.LetGo();
        await NextIsTheEnd(items); // it has heard them
        there.Note("after");
        Watchdog.Until(() => !desk.Notes.IsEmpty, "the next one");
        Assert.Equal(["after"], desk.Notes);
    }

    [Fact]
    public async Task AStreamOnWhichNothingGoesEnds()
    {
        Desk desk = new();
        using RpcServer server = RpcServer.Start("there", DeskRpc.Service(desk));
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        using RpcClient client = RpcClient.Connect("here");
        await using IAsyncEnumerator<int> items = DeskRpc.Client(client).Watch("x", TestContext.Current.CancellationToken).GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await items.MoveNextAsync());
        Assert.Equal(1, items.Current);
        await NextIsTheEnd(items);
        Watchdog.Until(() => desk.IsWatchOver, "its handler to be told");
    }

    private static async Task NextIsTheEnd(IAsyncEnumerator<int> items)
    {
        RpcCallException error = await Assert.ThrowsAsync<RpcCallException>(() => items.MoveNextAsync().AsTask().WaitAsync(Watchdog.Patience, TestContext.Current.CancellationToken));
        Assert.Equal((RpcStatus.Unavailable, false), (error.Status, error.IsUnsent));
        Assert.Contains("Nothing was sent in either direction for 0.5 s.", error.Message, StringComparison.Ordinal);
    }

    private sealed class Desk : IDesk
    {
        private volatile bool _isWatchOver;

        public ConcurrentQueue<string> Notes { get; } = new();

        public bool IsWatchOver => _isWatchOver;

        public void Note(string what) => Notes.Enqueue(what);

        public async IAsyncEnumerable<int> Watch(string what, [EnumeratorCancellation] CancellationToken cancellationToken = default)
        {
            yield return 1;
            try
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }
            finally
            {
                _isWatchOver = true;
            }
        }
    }
}
