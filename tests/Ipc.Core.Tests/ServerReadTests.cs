using System;
using System.Threading;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>A server's thread that reads a connection itself, beside or without a thread in the listener's Next: it
/// sleeps at the listener's doorbell, and whoever ends its wait wakes it there.</summary>
public sealed class ServerReadTests : RegionTest
{
    private static readonly ListenerOptions s_blocking = new() { WaitMode = WaitMode.Block };

    /// <summary>It looked once in a millisecond before, which cost an idle server a thousand wake-ups a second, and a
    /// sleeping one's client a millisecond.</summary>
    [Fact]
    public void ItSleepsUntilSomethingComes()
    {
        using Pair pair = Connect("reads");
        Background reading = Read(pair, "one");
        reading.UntilAsleep();
        long before = reading.Sleeps();
        Thread.Sleep(300); // nothing happens for so long
        Assert.InRange(reading.Sleeps() - before, 0, 10);
        Assert.True(pair.Client.Writer.TryWrite("one"u8));
        reading.Join();
    }

    [Theory]
    [InlineData("stop", IpcStatus.Stopped)]
    [InlineData("cancel", IpcStatus.Cancelled)]
    [InlineData("dispose", IpcStatus.Closed)]
    [InlineData("end", IpcStatus.Closed)]
    [InlineData("leave", IpcStatus.PeerClosed)]
    public void WhoeverEndsItsWaitWakesIt(string how, IpcStatus expected)
    {
        using Pair pair = Connect("ends");
        using CancellationTokenSource source = new();
        IpcStatus status = IpcStatus.Ok;
        Background reading = Run(() => status = pair.Server.Reader.Wait(Deadline.Never, source.Token));
        reading.UntilAsleep();
        switch (how)
        {
            case "stop":
                pair.Server.Reader.Stop();
                break;
            case "cancel":
                source.Cancel();
                break;
            case "dispose":
                pair.Server.Dispose();
                break;
            case "end":
                pair.Listener.Dispose();
                break;
            default:
                pair.Client.Dispose();
                break;
        }

        reading.Join();
        Assert.Equal(expected, status);
    }

    /// <summary>All sleep at one doorbell: none takes what is for another.</summary>
    [Fact]
    public void EachGetsWhatIsItsOwn()
    {
        const int Messages = 2000;
        using Listener listener = Listener.Open("several", s_blocking);
        using Pair first = Connect(listener, "several"), second = Connect(listener, "several"), third = Connect(listener, "several");
        listener.Return(third.Server);
        Background[] answering =
        [
            Run(() => Answer(first.Server, Messages)),
            Run(() => Answer(second.Server, Messages)),
            Run(() =>
            {
                for (int i = 0; i < Messages; i++)
                {
                    Assert.Equal(IpcStatus.Ok, listener.Next(out ListenerEvent found, Hang));
                    Answer(found.Connection, 1);
                    listener.Return(found.Connection);
                }
            }),
        ];
        Background[] asking = [Run(() => Ask(first.Client, Messages)), Run(() => Ask(second.Client, Messages)), Run(() => Ask(third.Client, Messages))];
        foreach (Background one in asking)
            one.Join();
        foreach (Background one in answering)
            one.Join();
    }

    private static void Answer(Connection server, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Assert.Equal(IpcStatus.Ok, server.Reader.Read(out RingRecord record, Hang));
            Assert.True(server.Writer.TryWrite(record.Payload));
            server.Reader.Release();
        }
    }

    private static void Ask(Connection client, int count)
    {
        for (int i = 0; i < count; i++)
        {
            byte[] number = BitConverter.GetBytes(i);
            Assert.True(client.Writer.TryWrite(number));
            Assert.Equal(IpcStatus.Ok, client.Reader.Read(out RingRecord record, Hang));
            Assert.True(record.Payload.SequenceEqual(number));
            client.Reader.Release();
        }
    }

    private Background Read(Pair pair, string expected) => Run(() =>
    {
        Assert.Equal(IpcStatus.Ok, pair.Server.Reader.Read(out RingRecord record, Deadline.Never));
        Assert.Equal(expected, System.Text.Encoding.UTF8.GetString(record.Payload.ToArray()));
        pair.Server.Reader.Release();
    });

    private Pair Connect(string name) => Connect(Listener.Open(name, s_blocking), name);

    private Pair Connect(Listener listener, string name)
    {
        Connection? opened = null;
        Background connecting = Run(() => opened = Connection.Connect(name, new ConnectOptions { Deadline = Hang, WaitMode = WaitMode.Block }));
        Assert.Equal(IpcStatus.Ok, listener.Accept(out Connection? server, Hang));
        connecting.Join();
        return new Pair(listener, server!, opened!);
    }

    private sealed record Pair(Listener Listener, Connection Server, Connection Client) : IDisposable
    {
        public void Dispose()
        {
            Client.Dispose();
            Server.Dispose();
            Listener.Dispose();
        }
    }
}
