using System;
using System.Threading;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>How much of all streams may be under way on a connection.</summary>
public sealed class StreamTransitTests : IDisposable
{
    private const int Capacity = 64 * 1024;
    private const int Most = Capacity / 8 * 3;
    private const int FrameLength = 128 - 8; // two lines

    private readonly Listener _listener;
    private readonly Connection _client;
    private readonly Connection _server;
    private readonly StreamTransit _transit;

    public StreamTransitTests()
    {
        string name = "transit-" + Guid.NewGuid().ToString("N");
        _listener = Listener.Open(name);
        Connection? client = null;
        var connecting = new Thread(() => client = Connection.Connect(name, new ConnectOptions { ToServerCapacity = Capacity, Deadline = Deadline.FromMilliseconds(10_000) }));
        connecting.Start();
        Assert.Equal(IpcStatus.Ok, _listener.Next(out ListenerEvent next, Deadline.FromMilliseconds(10_000)));
        _server = next.Connection!;
        _server.Accept();
        connecting.Join();
        _client = client!;
        _transit = new StreamTransit(_client.Writer, _client.Reader);
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
        _listener.Dispose();
    }

    [Fact]
    public void WhatTheRingShowsAsReadMakesRoom()
    {
        Fill();
        Assert.False(_transit.HasRoom);
        Assert.False(_transit.HasRoomNow);

        Read(1); // room for one, which is not worth the look
        Assert.False(_transit.HasRoomNow);
        Read(Most / 8 / 128);
        Assert.True(_transit.HasRoomNow);
        Assert.False(_transit.HasRoom); // nobody has said so

        int more = 0;
        for (; _transit.HasRoomNow; more++)
            Send();
        Assert.Equal((Most / 8 / 128) + 1, more);
    }

    /// <summary>The last word is the sender's own count: what is on loan does not lie in the ring.</summary>
    [Fact]
    public void WhatIsOnLoanHasToBeSaid()
    {
        int long1 = (_client.Writer.MaxPayload / 2) + 1;
        _transit.Sending(long1);
        Assert.False(_transit.HasRoom);
        Assert.False(_transit.HasRoomNow);
        Assert.Null(_transit.OnRead(64, (ulong)long1));
        Assert.True(_transit.HasRoomNow);
    }

    private void Fill()
    {
        for (int sent = 0; sent < Most; sent += 128)
            Send();
    }

    private void Send()
    {
        Assert.True(_client.Writer.TryWrite(new byte[FrameLength]));
        _transit.Sending(FrameLength);
    }

    private void Read(int count)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(IpcStatus.Ok, _server.Reader.Read(out _, Deadline.FromMilliseconds(10_000)));
        _server.Reader.Release();
    }
}
