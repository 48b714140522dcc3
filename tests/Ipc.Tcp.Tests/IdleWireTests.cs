using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>One end of a way, and what it takes for use of it. The other end is a socket, which says what a test wants.</summary>
public sealed class IdleWireTests : TcpTest
{
    private readonly Socket _other;

    public IdleWireTests() => _other = Own(new Socket(SocketType.Stream, ProtocolType.Tcp));

    private Wire Open()
    {
        using Socket listener = new(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        _other.Connect(listener.LocalEndPoint!);
        Wire wire = Own(Wire.Accept(listener.Accept(), EntranceOptions));
        wire.Begin(othersAlive: 60_000, othersLongest: Frame.LongestEver);
        return wire;
    }

    private void SayAlive() => _other.Send([0, 0, 0, 0, 6, 0, 0, 0]);

    private void SayRecord() => _other.Send([0, 0, 0, 0, 4, 0, 0, 0]);

    /// <summary>A frame that has taken long on its way is use until it is there.</summary>
    [Fact]
    public void AFrameThatTheOtherEndTakesLateIsUseUntilThen()
    {
        Wire wire = Open();
        wire.EndWhenIdle(TimeSpan.FromSeconds(1), grace: 0, static () => false);
        byte[] bytes = new byte[20 << 20];
        Background sends = Run(() => wire.Send(FrameKind.Record, 1, bytes));
        Background reads = Run(() => Assert.True(wire.TryRead(out _)));
        Thread.Sleep(1500);
        SayAlive();
        Thread.Sleep(100);
        for (int left = bytes.Length + Frame.HeaderSize; left > 0;)
            left -= _other.Receive(bytes, Math.Min(left, bytes.Length), SocketFlags.None);
        sends.Join();
        SayAlive();
        Thread.Sleep(100);
        SayRecord();
        reads.Join();
    }

    [Fact]
    public void SignsOfLifeInEitherDirectionAreNoUse()
    {
        EntranceOptions.Alive = TimeSpan.FromMilliseconds(20);
        Wire wire = Open();
        wire.EndWhenIdle(TimeSpan.FromMilliseconds(500), grace: 0, static () => false);
        Background reads = Run(() => Assert.Throws<WireIsIdleException>(() => wire.TryRead(out _)));
        for (int i = 0; i < 20; i++)
        {
            Thread.Sleep(50);
            SayAlive();
        }

        reads.Join();
        Assert.True(_other.Available >= 2 * Frame.HeaderSize); // it has said so, too
    }
}
