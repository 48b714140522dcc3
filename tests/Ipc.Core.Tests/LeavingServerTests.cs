using System.Reflection;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A server that leaves in order behind its last look at who asks.</summary>
public sealed class LeavingServerTests : RegionTest
{
    /// <summary>Nothing is written in the region of who asks, and the server's entry is free: in order, and not by a
    /// death.</summary>
    [Fact]
    public void ItHasClosedForWhomItHasNotSeen()
    {
        using Listener listener = Listener.Open("leaves");
        Background client = Run(() => Fails(
            IpcStatus.PeerClosed, () => Connection.Connect("leaves", new ConnectOptions { Deadline = Hang })));
        Watchdog.Until(() => Regions.FilesOf("leaves").Count == 2, "the request");
        client.UntilAsleep();
        var region = (Region)typeof(Listener).GetField("_region", BindingFlags.Instance | BindingFlags.NonPublic)!
            .GetValue(listener)!;
        region.Leave();
        client.Join();
    }

    /// <summary>A loop need not know that another thread disposes its listener.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ItHasRefusedWhomItsLoopHasInHand(bool accepts)
    {
        using Listener listener = Listener.Open("leaves");
        Background client = Run(() => Fails(
            IpcStatus.PeerClosed, () => Connection.Connect("leaves", new ConnectOptions { Deadline = Hang })));
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent asked, Hang));
        Connection request = asked.Connection;
        listener.Dispose();
        if (accepts)
            request.Accept();
        else
            request.Refuse("no");
        Assert.False(request.IsOpen);
        client.Join();
    }
}
