using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Shapes.Calls;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>Streams whose consumers pause for longer than a server waits for a client that does not read, in every pair of languages. Such a pause once filled the ring
/// that calls share, and cost the connection.</summary>
public sealed class PausedStreamTests
{
    private const int Items = 60;
    private static readonly TimeSpan _sendTimeout = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(1000);
    private static readonly int[] _sizes = [1, 1000, 16_000, 16_000, 60_000, 120_000, 10_000_000];

    public static TheoryData<Language> Servers => Calls.Servers;

    [Theory]
    [MemberData(nameof(Servers))]
    public async Task APausedConsumerCostsNobodyAnything(Language language)
    {
        using var server = new ServerUnderTest(language, _sendTimeout);
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false });
        ITests tests = TestsRpc.Client(client);
        CancellationToken cancel = TestContext.Current.CancellationToken;

        List<IAsyncEnumerator<Blob>> readers = [];
        foreach (int size in _sizes)
        {
            readers.Add(tests.Count(new CountRequest { Count = CountOf(size), Size = size }, cancel).GetAsyncEnumerator(cancel));
            Assert.True(await readers[^1].MoveNextAsync().AsTask().InTime());
        }

        IAsyncEnumerator<Blob> mirrored = tests.Mirror(new CountRequest(), Calls.Items(Items, 50_000), cancel).GetAsyncEnumerator(cancel);
        Assert.True(await mirrored.MoveNextAsync().AsTask().InTime());

        await Task.Delay(_pause, cancel); // nobody reads
        for (int i = 0; i < 100; i++)
            Assert.Equal(Pattern.Of(i, 100 * i), tests.Echo(new Blob { Data = Pattern.Of(i, 100 * i) }).Data);
        Assert.Equal(500, await CountRight(tests.Count(new CountRequest { Count = 500, Size = 1000 }, cancel), 1000).InTime());
        Assert.Equal("500 500000", Text(await tests.CollectAsync(new CountRequest(), Calls.Items(500, 1000), cancel).InTime()));
        await Task.Delay(_pause, cancel); // again, with the memory filled

        for (int i = 0; i < _sizes.Length; i++)
            await TakeTheRest(readers[i], _sizes[i], CountOf(_sizes[i]));
        await TakeTheRest(mirrored, 50_000, Items);
    }

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public void APausedConsumerInCppCostsNobodyAnything(Language language)
    {
        using var server = new ServerUnderTest(language, _sendTimeout);
        using var client = Peer.Native("pause", server.Name, "1000");
        client.WaitUntilReady().MustEndWell();
    }

    /// <summary>So many streams that their first credit is several times what the ring has.</summary>
    [Theory]
    [MemberData(nameof(Servers))]
    public async Task ManyPausedConsumersLeaveRoomForCalls(Language language)
    {
        using var server = new ServerUnderTest(language, _sendTimeout);
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { AutoReconnect = false });
        ITests tests = TestsRpc.Client(client);
        CancellationToken cancel = TestContext.Current.CancellationToken;
        List<IAsyncEnumerator<Blob>> readers = [];
        for (int i = 0; i < 40; i++)
        {
            readers.Add(tests.Count(new CountRequest { Count = Items, Size = 5000 + i }, cancel).GetAsyncEnumerator(cancel));
            Assert.True(await readers[i].MoveNextAsync().AsTask().InTime());
        }

        await Task.Delay(_pause, cancel);
        for (int i = 0; i < 20; i++)
            Assert.Equal(Pattern.Of(i, 90_000), tests.Echo(new Blob { Data = Pattern.Of(i, 90_000) }).Data);
        foreach (IAsyncEnumerator<Blob> left in readers.Take(20)) // half of them are given up
            await left.DisposeAsync();
        for (int i = 20; i < 40; i++)
            await TakeTheRest(readers[i], 5000 + i, Items);
    }

    /// <summary>A client that is killed while its streams wait for it.</summary>
    [Theory]
    [MemberData(nameof(Servers))]
    public async Task AKilledConsumerReleasesWhatWaitedForIt(Language language)
    {
        using var server = new ServerUnderTest(language, _sendTimeout);
        using (var paused = Peer.Native("pause", server.Name, "600000"))
        {
            paused.WaitUntilReady();
            using RpcClient other = RpcClient.Connect(server.Name);
            Assert.Equal(500, await CountRight(TestsRpc.Client(other).Count(new CountRequest { Count = 500, Size = 1000 }), 1000).InTime());
            paused.Kill();
        }

        if (server.Tests is { } tests)
            await tests.CountEnded.Task.InTime();
        using RpcClient next = RpcClient.Connect(server.Name);
        Assert.Equal(500, await CountRight(TestsRpc.Client(next).Count(new CountRequest { Count = 500, Size = 1000 }), 1000).InTime());
    }

    private static int CountOf(int size) => size > 1_000_000 ? 8 : Items;

    private static async Task TakeTheRest(IAsyncEnumerator<Blob> stream, int size, int count)
    {
        Assert.Equal(Pattern.Of(0, size), stream.Current.Data);
        int number = 1;
        for (; await stream.MoveNextAsync().AsTask().InTime(); number++)
            Assert.True(stream.Current.Data.AsSpan().SequenceEqual(Pattern.Of(number, size)), "item " + number + " of " + size + " bytes");
        Assert.Equal(count, number);
        await stream.DisposeAsync();
    }
}
