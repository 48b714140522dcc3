using System;
using System.Linq;
using Ipc.Rpc.Codec.Tests.Contract;
using Xunit;

namespace Ipc.Rpc.Codec.Tests;

/// <summary>Encoding allocates nothing; decoding allocates the message, and its lists once.</summary>
public sealed class AllocationTests
{
    private static readonly MessageCodec<Everything> _codec = CodecContractRpc.Echo.Request;

    [Fact]
    public void EncodingAllocatesNothing()
    {
        // Sets and what is immutable are walked by their interface: an enumerator each.
        Everything[] messages = Samples.All.Where(static s => s.Name != "collections").Select(static s => s.Message).ToArray();
        var buffer = new byte[64 * 1024];
        Assert.Equal(0, Allocated(() =>
        {
            foreach (Everything message in messages)
                _codec.Encode(message, buffer);
        }));
    }

    [Fact]
    public void DecodingAStructOfScalarsAllocatesNothing()
    {
        MessageCodec<double> codec = CodecContractRpc.Load.Response;
        byte[] bytes = Encoded.Of(codec, 1.5);
        Assert.Equal(0, Allocated(() => codec.Decode(bytes)));
    }

    [Fact]
    public void ListsAndArraysAreAllocatedOnceAndAtTheirSize()
    {
        Everything message = Samples.All.Single(static s => s.Name == "lists").Message;
        Lists lists = _codec.Decode(Encoded.Of(_codec, message)).Lists!;
        Assert.Equal(lists.Doubles.Count, lists.Doubles.Capacity);
        Assert.Equal(lists.Nodes.Count, lists.Nodes.Capacity);
        Assert.Equal(lists.Colors.Count, lists.Colors.Capacity);

        // 1,000 doubles as an array: the message, the array, and nothing of their order besides.
        var large = new Everything { Lists = new Lists { Ints = new int[10_000] } };
        byte[] bytes = Encoded.Of(_codec, large);
        long empty = Allocated(() => _codec.Decode(Encoded.Of(_codec, new Everything { Lists = new Lists() })));
        Assert.InRange(Allocated(() => _codec.Decode(bytes)), 40_000, 40_200 + empty);
    }

    /// <summary>What one run allocates, after runs that warmed everything up.</summary>
    private static long Allocated(Action action)
    {
        for (int i = 0; i < 100; i++)
            action();
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
