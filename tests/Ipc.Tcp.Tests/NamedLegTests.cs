using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>One end of a named connection's way. The other end is a socket, which says what a test wants.</summary>
public sealed class NamedLegTests : TcpTest
{
    public NamedLegTests() => LeavesFiles = true; // a conversation stays

    /// <summary>However a way ends, the next one begins behind what is in the ring, and tells the other machine
    /// so: it has to be published, or it would be lost with this process.</summary>
    [Fact]
    public void WhatCameBeforeTheWayEndedInErrorIsPublished()
    {
        using NamedListener listener = NamedListener.Open("there", new NamedListenerOptions());
        using NamedConnection client = NamedConnection.Open("there", "trader");
        (Socket other, Wire wire) = Pair([.. Message(1), .. Message(2), .. Frame(kind: 99, [])]); // what is wrong is read with the messages, without a wait between
        NamedLeg leg = new(client, wire, otherHas: 0, static () => { });
        other.Shutdown(SocketShutdown.Send);
        Assert.Contains("99", leg.Receive().Text, StringComparison.Ordinal);
        Assert.True(leg.EndedInError);
        Assert.Equal(2, client.LastSent);
        Assert.True(listener.TryOpen("trader", out NamedConnection? there));
        Assert.Equal(2, there!.LastArrived);
    }

    /// <summary>The network may stop for a while in the middle of a frame's beginning: what is behind it waits, what came before does not.</summary>
    [Theory]
    [InlineData(5)]
    [InlineData(8)]
    [InlineData(12)]
    [InlineData(18)]
    public void WhatCameWholeDoesNotWaitForWhatDidNot(int bytesOfTheNext)
    {
        using NamedListener listener = NamedListener.Open("there", new NamedListenerOptions());
        using NamedConnection client = NamedConnection.Open("there", "trader");
        byte[] next = Message(2);
        (Socket other, Wire wire) = Pair([.. Message(1), .. next[..bytesOfTheNext]]);
        NamedLeg leg = new(client, wire, otherHas: 0, static () => { });
        Background receives = Run(() => leg.Receive());
        Assert.True(listener.TryOpen("trader", out NamedConnection? there));
        Watchdog.Until(() => there!.LastArrived == 1, "the first message");
        Assert.Equal(next.Length - bytesOfTheNext, other.Send(next[bytesOfTheNext..]));
        Watchdog.Until(() => there!.LastArrived == 2, "the second one");
        other.Shutdown(SocketShutdown.Send);
        receives.Join();
    }

    /// <summary>Nor for an answer to a login, which is longer, and before which the server's messages come.</summary>
    [Theory]
    [InlineData(8)]
    [InlineData(15)]
    public void WhatCameWholeDoesNotWaitForALogin(int bytesOfTheNext)
    {
        using NamedListener listener = NamedListener.Open("there", new NamedListenerOptions());
        using NamedConnection client = NamedConnection.Open("there", "trader");
        byte[] next = Frame(kind: 9, [3, 0, 1, 2, 3, 2, 0, (byte)'m', (byte)'e']);
        (Socket other, Wire wire) = Pair([.. Message(1), .. next[..bytesOfTheNext]]);
        LoggedIn? came = null;
        NamedLeg leg = new(client, wire, otherHas: 0, static () => { }) { LoggedIn = answer => Volatile.Write(ref came, answer) };
        Background receives = Run(() => leg.Receive());
        Assert.True(listener.TryOpen("trader", out NamedConnection? there));
        Watchdog.Until(() => there!.LastArrived == 1, "the message");
        Assert.Equal(next.Length - bytesOfTheNext, other.Send(next[bytesOfTheNext..]));
        Watchdog.Until(() => Volatile.Read(ref came) is not null, "the answer");
        other.Shutdown(SocketShutdown.Send);
        receives.Join();
    }

    /// <summary>The other end, which has said something already, and this one, which has not begun to read.</summary>
    private (Socket Other, Wire Wire) Pair(byte[] sent)
    {
        using Socket gate = new(SocketType.Stream, ProtocolType.Tcp);
        gate.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        gate.Listen(1);
        Socket other = Own(new Socket(SocketType.Stream, ProtocolType.Tcp));
        other.Connect(gate.LocalEndPoint!);
        Assert.Equal(sent.Length, other.Send(sent));
        Wire wire = Own(Wire.Accept(gate.Accept(), EntranceOptions));
        wire.Begin(othersAlive: 60_000, othersLongest: 1 << 20);
        return (other, wire);
    }

    private static byte[] Message(long sequence) => Frame(kind: 7, [.. BitConverter.GetBytes(sequence), 1, 2, 3]);

    private static byte[] Frame(byte kind, byte[] bytes) => [(byte)bytes.Length, 0, 0, 0, kind, 0, 0, 0, .. bytes];
}
