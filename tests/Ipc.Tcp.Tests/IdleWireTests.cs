using System;
using System.IO;
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
        wire.EndWhenIdle(TimeSpan.FromSeconds(1), grace: 0, static () => false, static () => 0);
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
        wire.EndWhenIdle(TimeSpan.FromMilliseconds(500), grace: 0, static () => false, static () => 0);
        Background reads = Run(() => Assert.Throws<WireIsIdleException>(() => wire.TryRead(out _)));
        for (int i = 0; i < 20; i++)
        {
            Thread.Sleep(50);
            SayAlive();
        }

        reads.Join();
        Assert.True(_other.Available >= 2 * Frame.HeaderSize); // it has said so, too
    }

    /// <summary>A server that is at what came in a former session.</summary>
    [Fact]
    public void WhatIsStillToBeHandledDoesNotEndTheTimeForTheFirstUse()
    {
        Wire wire = Open();
        Background reads = Run(() => Assert.True(wire.TryRead(out _)));
        reads.UntilAsleep();
        int looks = 0;
        wire.EndWhenIdle(TimeSpan.FromMilliseconds(50), grace: 60_000, () => ++looks == 1, static () => 0);
        for (int i = 0; i < 2; i++)
        {
            SayAlive();
            Thread.Sleep(200);
        }

        Assert.Equal(2, Volatile.Read(ref looks));
        SayRecord();
        reads.Join();
    }

    /// <summary>Else the reading thread would wait for a sender, who waits for another end that may have gone.</summary>
    [Fact]
    public void NobodySendsBetweenTheLookAndTheLastWords()
    {
        Wire wire = Open();
        Background? sends = null;
        wire.EndWhenIdle(TimeSpan.FromMilliseconds(50), grace: 0, static () => false, () =>
        {
            sends = Run(() => Assert.Throws<IOException>(() => wire.Send(FrameKind.Record, 1, new byte[20 << 20])));
            Thread.Sleep(500); // it begins to, if it can
            return 3;
        });
        Background reads = Run(() => Assert.Throws<WireIsIdleException>(() => wire.TryRead(out _)));
        Thread.Sleep(100);
        SayAlive();
        reads.Join();
        sends!.Join();
        byte[] bytes = new byte[1 << 10];
        int length = _other.Receive(bytes);
        Assert.Equal((5, (int)CloseCode.Shutdown, 3), (bytes[4], bytes[6], bytes[8]));
        Assert.Equal(BitConverter.ToInt32(bytes) + Frame.HeaderSize, length);
    }

    /// <summary>The last words would wait for it.</summary>
    [Fact]
    public void AnOtherEndThatTakesNothingIsNotToldBeforeItDoes()
    {
        Wire wire = Open();
        for (long fullSince = Environment.TickCount64; Environment.TickCount64 < fullSince + 300;)
        {
            if (!wire.CanSend)
            {
                Thread.Sleep(10); // the systems of both ends may find more room
                continue;
            }

            wire.Send(FrameKind.Record, 1, new byte[16 << 10]);
            fullSince = Environment.TickCount64;
        }

        wire.EndWhenIdle(TimeSpan.FromMilliseconds(50), grace: 0, static () => false, static () => 0);
        Background reads = Run(() => Assert.Throws<WireIsIdleException>(() => wire.TryRead(out _)));
        Thread.Sleep(100);
        SayAlive();
        Thread.Sleep(200);
        Assert.False(wire.HasFinished);
        for (byte[] bytes = new byte[1 << 20]; !wire.CanSend;)
            _other.Receive(bytes);
        SayAlive();
        reads.Join();
        Assert.True(wire.HasFinished);
    }
}
