using System.Collections.Generic;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>What comes while there is no room is put in its order, and what could not be put is followed by nothing.</summary>
public sealed class LateMessagesTests
{
    private static readonly byte[] s_bytes = new byte[10];

    [Fact]
    public void TheRingIsItsOwnUntilTheLastIsPut()
    {
        using ManualResetEventSlim room = new();
        List<ushort> put = [];
        int published = 0;
        LateMessages late = new(
            (type, _) =>
            {
                room.Wait();
                put.Add(type);
                return true;
            },
            () => published++, most: 1000);
        Assert.False(late.HasTheRing);
        for (ushort i = 1; i <= 3; i++)
            Assert.True(late.Add(i, s_bytes, static () => false));
        Assert.True(late.HasTheRing);
        room.Set();
        Watchdog.Until(() => !late.HasTheRing, "the ring to be given back");
        Assert.Equal([1, 2, 3], put);
        Assert.Equal(1, published);
    }

    /// <summary>The way is over, and the reading thread has more in its buffer: were the ring its own again, that
    /// would get the numbers of those that are dropped here.</summary>
    [Fact]
    public void BehindAMessageThatCouldNotBePutNothingIsPut()
    {
        using ManualResetEventSlim over = new();
        int tried = 0, published = 0;
        LateMessages late = new(
            (_, _) =>
            {
                over.Wait();
                tried++;
                return false;
            },
            () => Interlocked.Increment(ref published), most: 1000);
        for (ushort i = 1; i <= 3; i++)
            Assert.True(late.Add(i, s_bytes, static () => false));
        over.Set();
        Watchdog.Until(() => Volatile.Read(ref published) == 1, "the thread to end");
        Assert.True(late.HasTheRing);
        Assert.False(late.Add(4, s_bytes, static () => false));
        late.Stop();
        Assert.Equal(1, tried);
    }
}
