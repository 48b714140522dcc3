using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Serializers.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>The same contract does the same whatever writes its messages.</summary>
public sealed class ContractTests
{
    public static readonly TheoryData<string> All = Formats.All;

    [Theory]
    [MemberData(nameof(All))]
    public void AMessageArrivesWholeBothWays(string format)
    {
        using Connected pair = Same(format);
        Orders.Same(Orders.Full(), pair.Proxy.Mirror(Orders.Full()));
    }

    [Theory]
    [MemberData(nameof(All))]
    public void AMessageOfDefaultsArrives(string format)
    {
        using Connected pair = Same(format);
        Order arrived = pair.Proxy.Mirror(new Order());
        Assert.Equal("", arrived.Customer);
        Assert.Null(arrived.Discount);
        Assert.Null(arrived.Gift);
        Assert.Equal(default, arrived.Placed);
    }

    [Theory]
    [MemberData(nameof(All))]
    public void AMessageLongerThanTheRingArrives(string format)
    {
        using Connected pair = Same(format);
        Orders.Same(Orders.Large(), pair.Proxy.Mirror(Orders.Large()));
    }

    [Theory]
    [MemberData(nameof(All))]
    public void ParametersAndBareResultsArrive(string format)
    {
        using Connected pair = Same(format);
        Assert.Equal("5 five [1.5 -0 NaN] nut", pair.Proxy.Describe(5, "five", [1.5, -0.0, double.NaN], new Item("nut", 1)));
        Assert.Equal("0  [] none", pair.Proxy.Describe(0, "", [], null));
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task NullableResultsArrive(string format)
    {
        using Connected pair = Same(format);
        Assert.Equal("found me", await pair.Proxy.FindAsync("me", TestContext.Current.CancellationToken));
        Assert.Null(await pair.Proxy.FindAsync("nobody", TestContext.Current.CancellationToken));
    }

    [Theory]
    [MemberData(nameof(All))]
    public void NothingArrives(string format)
    {
        using Connected pair = Same(format);
        pair.Proxy.Ping();
        pair.Proxy.Ping();
        Assert.Equal(2, pair.Shop.Pings);
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task StreamsArrive(string format)
    {
        using Connected pair = Same(format);
        Item[] items = await pair.Proxy.Items(2_000).ToArrayAsync(TestContext.Current.CancellationToken);
        Assert.Equal(2_000, items.Length);
        Assert.Equal(new Item("item 1999", 1999), items[^1]);
        Guid[] ids = await pair.Proxy.Ids(100).ToArrayAsync(TestContext.Current.CancellationToken);
        Assert.Equal(Enumerable.Range(0, 100).Select(Shop.IdOf), ids);
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task StreamsOfTheCallerArrive(string format)
    {
        using Connected pair = Same(format);
        Assert.Equal(2 * (999 * 1_000 / 2), await pair.Proxy.SumAsync(2, Numbered(1_000), TestContext.Current.CancellationToken));
        Item[] echoed = await pair.Proxy.Echo(Numbered(300), TestContext.Current.CancellationToken).ToArrayAsync(TestContext.Current.CancellationToken);
        Assert.Equal(await Numbered(300).ToArrayAsync(TestContext.Current.CancellationToken), echoed);
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task ProgressArrives(string format)
    {
        using Connected pair = Same(format);
        var progress = new Latest();
        Assert.Equal(3, await pair.Proxy.WorkAsync(3, progress, TestContext.Current.CancellationToken));
        await progress.Reached(3);
    }

    /// <summary>protobuf-net and the generated codecs are one format: neither side has to know what the other uses.</summary>
    [Theory]
    [InlineData(Formats.Generated, Formats.ProtobufNet)]
    [InlineData(Formats.ProtobufNet, Formats.Generated)]
    public async Task TheTwoThatWriteProtobufUnderstandEachOther(string offered, string chosen)
    {
        using var pair = new Connected(Formats.Serializer(offered), Formats.Serializer(chosen));
        Orders.Same(Orders.Full(), pair.Proxy.Mirror(Orders.Full()));
        Assert.Equal("1 a [2] b", pair.Proxy.Describe(1, "a", [2], new Item("b", 0)));
        Assert.Equal(10, await pair.Proxy.Items(10).CountAsync(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task ManyThreadsUseOneSerializer()
    {
        using Connected pair = Same(Formats.MessagePack);
        Task[] callers = [.. Enumerable.Range(0, 4).Select(caller => Task.Run(() =>
        {
            for (int i = 0; i < 500; i++)
                Assert.Equal($"{i} caller {caller} [] none", pair.Proxy.Describe(i, "caller " + caller, [], null));
        }))];
        await Task.WhenAll(callers);
    }

    private static async IAsyncEnumerable<Item> Numbered(int count)
    {
        for (int i = 0; i < count; i++)
        {
            yield return new Item("n", (uint)i);
            if (i % 100 == 0)
                await Task.Yield();
        }
    }

    private static Connected Same(string format)
    {
        IpcSerializer? serializer = Formats.Serializer(format);
        return new Connected(serializer, serializer);
    }
}
