using System;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Messages through a connection that are longer than its rings.</summary>
public sealed class ConnectionLoanTests : RegionTest
{
    [Theory]
    [InlineData(1 << 20)]
    [InlineData(2 << 20)]
    [InlineData(100_000_000)]
    public void ALongMessageGoesThereAndBack(int length)
    {
        using EchoServer server = new("echo");
        using Connection connection = Connection.Connect("echo", new ConnectOptions { ToServerCapacity = 4096, ToClientCapacity = 4096 });
        Assert.Equal(256 << 20, connection.Writer.MaxPayload);
        Assert.Equal(256 << 20, connection.Reader.MaxPayload);
        for (int round = 0; round < 2; round++)
        {
            Assert.Equal(IpcStatus.Ok, connection.Writer.Claim(length, out Span<byte> claim, Hang));
            LoanBytes.Fill(claim, round);
            connection.Writer.Commit(length, 3);
            Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out RingRecord record, Hang));
            Assert.True(record.Type == 3 && LoanBytes.Is(record.Payload, round, length));
            connection.Reader.Release();
        }

        Watchdog.Until(() => LoanBytes.Count(connection.Writer) == 0, "the server to release what it has answered");
        Assert.Equal(0, LoanBytes.Count(connection.Reader));
    }

    /// <summary>Each side trims what it sends.</summary>
    [Fact]
    public void TrimmingGivesTheMemoryOfADirectionBack()
    {
        const int Length = 10 << 20;
        using EchoServer server = new("echo");
        using Connection connection = Connection.Connect("echo");
        Pool there = connection.Writer.Geometry.Pool!, back = connection.Reader.Geometry.Pool!;
        Assert.Equal(IpcStatus.Ok, connection.Writer.Write(new byte[Length], 1, Hang));
        Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out RingRecord record, Hang));
        Assert.Equal(Length, record.Payload.Length);
        connection.Reader.Release();
        Watchdog.Until(() => LoanBytes.Count(connection.Writer) == 0, "the server to release what it has answered");
        Assert.InRange(there.PresentBytes(), (ulong)Length, ulong.MaxValue);
        connection.Writer.TrimLoans();
        Assert.Equal(0UL, there.PresentBytes());
        Assert.InRange(back.PresentBytes(), (ulong)Length, ulong.MaxValue);
        Assert.Equal("after", EchoServer.Call(connection, "after"));
        connection.Dispose();
        connection.Writer.TrimLoans(); // closed: no effect
    }

    [Fact]
    public void ALargerBudgetThanTheServerAllowsIsRefusedWithBothNumbers()
    {
        using EchoServer server = new("strict", new ListenerOptions { MaxLoanBudget = 1 << 20 });
        string text = Assert.Throws<ConnectionRefusedException>(() => Connection.Connect("strict", new ConnectOptions { LoanBudget = 2 << 20 })).Message;
        Assert.Contains($"{2 << 20}", text, StringComparison.Ordinal);
        Assert.Contains($"{1 << 20}", text, StringComparison.Ordinal);
        using Connection allowed = Connection.Connect("strict", new ConnectOptions { LoanBudget = 1 << 20 });
        using Connection without = Connection.Connect("strict", new ConnectOptions { LoanBudget = 0 });
        Assert.Equal("fits", EchoServer.Call(allowed, "fits"));
        Assert.Equal("fits too", EchoServer.Call(without, "fits too"));
        Assert.Equal((256 << 10) / 2 - 8, without.Writer.MaxPayload);
        Fails(IpcStatus.InvalidArgument, () => Listener.Open("other", new ListenerOptions { MaxLoanBudget = -1 }));
        Fails(IpcStatus.InvalidArgument, () => Connection.Connect("strict", new ConnectOptions { LoanBudget = -1 }));
    }

    [Fact]
    public void ADescriptorThatLiesClosesItsConnectionAndNoOther()
    {
        using EchoServer server = new("bad");
        using Connection good = Connection.Connect("bad");
        using Connection bad = Connection.Connect("bad");
        Assert.True(bad.Writer.TryWrite(new byte[200_000])); // so that there is a block table
        Assert.Equal(IpcStatus.Ok, bad.Reader.Read(out _, Hang));
        bad.Reader.Release();
        unsafe
        {
            ulong* record = (ulong*)(bad.Writer.View.Base + bad.Writer.Geometry.DataOffset) + 8; // the second line
            record[1] = 0x0000_0003_0000_0002; // class 2, block 3: it is free
            record[2] = 0x0000_1000_0000_0000;
            Atomic.StoreRelease(ref record[0], RecordHeader.OfLoan(0));
        }

        ((IRingLink)bad).RelaySignal(); // "look at me"
        Assert.Equal(IpcStatus.PeerClosed, bad.Reader.Read(out _, Hang));
        Assert.Equal(CloseCode.Corrupt, bad.PeerCloseCode);
        Assert.Contains("published", bad.PeerCloseText, StringComparison.Ordinal);
        Assert.Equal("still", EchoServer.Call(good, "still"));
    }

    /// <summary>Before its peer has sent a long message there is no table: nobody looks for memory there that may not be.</summary>
    [Fact(Skip = "tables are made at once here", SkipUnless = nameof(ConnectionMemoryTests.HasHoles), SkipType = typeof(ConnectionMemoryTests))]
    public void ADescriptorThatComesBeforeTheTableIsCorrupt()
    {
        using EchoServer server = new("early");
        using Connection bad = Connection.Connect("early");
        unsafe
        {
            ulong* record = (ulong*)(bad.Writer.View.Base + bad.Writer.Geometry.DataOffset);
            record[1] = 0x0000_0003_0000_0002;
            record[2] = 0x0000_1000_0000_0000;
            Atomic.StoreRelease(ref record[0], RecordHeader.OfLoan(0));
        }

        ((IRingLink)bad).RelaySignal();
        Assert.Equal(IpcStatus.PeerClosed, bad.Reader.Read(out _, Hang));
        Assert.Equal(CloseCode.Corrupt, bad.PeerCloseCode);
        Assert.Contains("no block table", bad.PeerCloseText, StringComparison.Ordinal);
    }

    /// <summary>Both sides send more than the budget of a direction holds, and read what comes: nobody waits for ever.</summary>
    [Fact]
    public void LongMessagesOfManySizesShareASmallBudget()
    {
        const int Messages = 300;
        using EchoServer server = new("small");
        using Connection connection = Connection.Connect("small", new ConnectOptions { ToServerCapacity = 4096, ToClientCapacity = 4096, LoanBudget = 256 << 10 });
        Background sending = Run(() =>
        {
            Random random = new(5);
            for (int i = 0; i < Messages; i++)
            {
                int length = random.Next(100, 100_000);
                Assert.Equal(IpcStatus.Ok, connection.Writer.Claim(length, out Span<byte> claim, Hang));
                LoanBytes.Fill(claim, i);
                connection.Writer.Commit(length);
            }
        });
        Random same = new(5);
        for (int i = 0; i < Messages; i++)
        {
            Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out RingRecord record, Hang));
            Assert.True(LoanBytes.Is(record.Payload, i, same.Next(100, 100_000)), $"message {i}");
            connection.Reader.Release();
        }

        sending.Join();
    }
}
