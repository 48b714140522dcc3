using System;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

public sealed class UserCodeTests : TcpTest
{
    [Fact]
    public void WhatAllowsThrowsIsANo()
    {
        using EchoServer server = new("there");
        EntranceOptions.Allows = static _ => throw new InvalidOperationException("not today");
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        Assert.Contains("does not lead", Assert.Throws<ConnectionRefusedException>(() => Connect().Dispose()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AllowsMayWaitAndHoldsUpNobodyElse()
    {
        using EchoServer server = new("there");
        using ManualResetEventSlim decides = new();
        int asked = 0;
        EntranceOptions.Allows = _ =>
        {
            if (Interlocked.Increment(ref asked) == 1)
                decides.Wait();
            return true;
        };
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        Background slow = Run(() => Connect().Dispose());
        Watchdog.Until(() => Volatile.Read(ref asked) == 1, "the first to be asked for");
        using (Connection client = Connect())
            Assert.Equal("hi", Echo(client, "hi"));
        decides.Set();
        slow.Join();
    }

    [Fact]
    public void AllowsMayEndTheEntrance()
    {
        TcpEntrance? entrance = null;
        EntranceOptions.Allows = _ =>
        {
            entrance!.Dispose();
            return true;
        };
        entrance = OpenEntrance();
        Own(TcpExit.Open("here", AddressOf(entrance), ExitOptions));
        Fails(IpcStatus.PeerClosed, () => Ipc.Connection.Connect("here").Dispose());
        Watchdog.Until(() => entrance.Count == 0, "the end");
    }

    [Fact]
    public void AddressesAndOptionsAreChecked()
    {
        foreach (string address in new[] { "", "tcp:", "tcp:host", "tcp:host:5000", "tcp:host:5000/", "tcp::5000/x", "tcp:host:0/x", "tcp:host:65536/x", "tcp:host:5x/x", "tcp:host:99999999999999/x", "ipc:host:5/x", "host:5/x" })
            Assert.Contains("tcp:HOST:PORT/NAME", Assert.Throws<ArgumentException>(() => TcpExit.Open("here", address)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => TcpExit.Open("here", null!));
        Assert.Equal("tcp:[::1]:5000/prices", Own(TcpExit.Open("here", "tcp:[::1]:5000/prices")).Address);
        Assert.Throws<ArgumentException>(() => TcpExit.Open("x", "tcp:h:1/x", new TcpExitOptions { Alive = TimeSpan.Zero }));
        Assert.Throws<ArgumentException>(() => TcpExit.Open("x", "tcp:h:1/x", new TcpExitOptions { MaxMessage = 0 }));
        Assert.Throws<ArgumentException>(() => TcpExit.Open("x", "tcp:h:1/x", new TcpExitOptions { ConnectTimeout = TimeSpan.Zero }));
        Assert.Throws<ArgumentException>(() => TcpExit.Open("x", "tcp:h:1/x", new TcpExitOptions { Token = new byte[1025] }));
        Assert.Throws<ArgumentException>(() => TcpEntrance.Open(new TcpEntranceOptions { MaxConnections = 0 }));
        Fails(IpcStatus.InUse, () => TcpExit.OpenNamed("here", "tcp:h:1/x"));
        Fails(IpcStatus.InvalidName, () => TcpExit.Open("a/b", "tcp:h:1/x"));
    }
}
