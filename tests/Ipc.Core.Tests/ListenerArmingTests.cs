using System;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The look before a listener's leader sleeps: what comes to light in it is armed first.</summary>
public sealed class ListenerArmingTests : RegionTest
{
    /// <summary>A client was slow between its publish, which has been read, and its ready bit, and found nobody asleep
    /// at the doorbell: the leader had armed, and had not announced yet.</summary>
    [Fact]
    public void ALateReadyBitLeavesNobodyUnarmed()
    {
        using Listener listener = Listener.Open("late");
        Connection? opened = null;
        Background connecting = Run(() => opened = Connection.Connect("late", new ConnectOptions { Deadline = Hang }));
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
        using Connection server = next.Connection;
        server.Accept();
        connecting.Join();
        using Connection client = opened!;
        listener.Return(server);
        Assert.Equal(IpcStatus.Timeout, listener.Next(out _, Deadline.Now));

        Listener.EventCondition sleep = new(listener);
        Assert.False(sleep.IsTrue());
        sleep.BeforeSleep();
        Assert.True(client.Writer.TryWrite("x"u8)); // clears the flag, sets the bit; nobody is announced at the doorbell
        Assert.True(server.Reader.TryRead(out _));
        server.Reader.Release();
        Assert.True(sleep.IsTrue()); // it does not sleep with this one unarmed

        sleep.BeforeSleep();
        Assert.False(sleep.IsTrue());
        Assert.True(client.Writer.TryWrite("y"u8));
        Assert.True(sleep.IsTrue());
    }

    /// <summary>Another participant has cleaned up after a dead client, and was killed when it had freed the entry and
    /// had not set the ready bit: who is told of the death sets it, for nobody polls an idle connection.</summary>
    [Fact]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public void ADeathWhoseReadyBitWasNeverSetIsFoundByWhoIsToldOfIt()
    {
        using Listener listener = Listener.Open("unrung");
        Connection? opened = null;
        Background connecting = Run(
            () => opened = Connection.Connect("unrung", new ConnectOptions { Deadline = Hang }));
        Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent next, Hang));
        using Connection server = next.Connection;
        server.Accept();
        connecting.Join();
        using Connection client = opened!;
        listener.Return(server);
        Listener.EventCondition sleep = new(listener);
        for (int i = 0; i < 2; i++) // armed, then left to its flag
        {
            Assert.False(sleep.IsTrue());
            sleep.BeforeSleep();
        }

        Assert.False(sleep.IsTrue());
        using LiveRegion bytes = Look("unrung");
        bytes[Wire.Region.Participants + server.Slot * Wire.Participant.Size + Wire.Participant.State] = 0;
        Assert.False(sleep.IsTrue());

        server.PeersRecovered();
        Assert.Equal(IpcStatus.Ok, listener.Next(out next, Deadline.Now));
        Assert.Equal(ListenerEventKind.Closed, next.Kind);
        Assert.Same(server, next.Connection);
    }
}
