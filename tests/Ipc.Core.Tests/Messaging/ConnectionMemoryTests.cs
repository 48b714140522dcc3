using System;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Where a connection's writer has claimed there is memory, before anybody touches it: on a full disk a store to a hole ends the process.</summary>
public sealed unsafe class ConnectionMemoryTests : RegionTest
{
    private const int Capacity = 256 << 10, Line = 64;

    public static bool HasHoles => !OperatingSystem.IsWindows() && Os.Current.PopulatesByMapping;

    private const string NoHoles = "memory is made at once here";

    [Theory(Skip = NoHoles, SkipUnless = nameof(HasHoles))]
    [InlineData(1, 1, 1)]
    [InlineData(8_184, 1)]           // ends with the memory that is there from the start
    [InlineData(8_120, 1)]
    [InlineData(16_376, 1)]          // ends with what is made for it
    [InlineData(100, 100_000, 50, 16_000, 131_000)]
    [InlineData(131_064, 1, 131_064)] // the last begins the second lap, behind padding
    [InlineData(131_064, 131_064, 1)]
    public void AClaimAndTheHeaderBehindItHaveMemory(params int[] lengths)
    {
        using EchoServer server = new("echo");
        using Connection connection = Connect();
        RingWriter writer = connection.Writer;
        Assert.False(MappedMemory.IsPresent(Data(writer), Capacity));
        foreach (int length in lengths)
        {
            Assert.Equal(IpcStatus.Ok, writer.Claim(length, out _, Hang));
            AssertPresent(writer, length);
            writer.Commit(length);
            Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out RingRecord record, Hang));
            Assert.Equal(length, record.Payload.Length);
            connection.Reader.Release();
        }
    }

    [Fact(Skip = NoHoles, SkipUnless = nameof(HasHoles))]
    public void AClaimThatGrowsHasMemory()
    {
        using EchoServer server = new("echo");
        using Connection connection = Connect();
        for (int length = 100; length < 131_064; length = length * 3 / 2)
        {
            Assert.True(connection.Writer.TryClaim(100, out _));
            Assert.True(connection.Writer.TryExtendClaim(length, out _));
            AssertPresent(connection.Writer, length);
            connection.Writer.Abandon();
        }
    }

    /// <summary>Two thirds of a ring that is full of lines: each loan's record takes one.</summary>
    [Fact(Skip = NoHoles, SkipUnless = nameof(HasHoles))]
    public void TheRecordOfALoanHasMemoryAndSoHasTheTable()
    {
        using EchoServer server = new("echo");
        using Connection connection = Connect();
        RingWriter writer = connection.Writer;
        byte* table = writer.View.Base + writer.Geometry.PoolOffset + PoolHeader.TableOffset;
        ulong size = writer.Geometry.Pool!.Geometry.Reserved - PoolHeader.TableOffset;
        Assert.False(MappedMemory.IsPresent(table, size));
        for (int i = 0; i < 300; i++)
        {
            Assert.Equal(IpcStatus.Ok, writer.Claim(Capacity, out _, Hang));
            Assert.True(MappedMemory.IsPresent(table, size));
            AssertPresent(writer, 16);
            writer.Commit(100);
            Assert.Equal(IpcStatus.Ok, connection.Reader.Read(out _, Hang));
            connection.Reader.Release();
        }
    }

    /// <summary>Who only makes room, and never touches what it has not claimed, needs no more than twice what it uses.</summary>
    [Fact(Skip = NoHoles, SkipUnless = nameof(HasHoles))]
    public void LittleIsMadeForLittle()
    {
        using EchoServer server = new("echo");
        using Connection connection = Connect();
        for (int i = 0; i < 20; i++)
            Assert.Equal("little", EchoServer.Call(connection, "little"));
        Assert.False(MappedMemory.IsPresent(Data(connection.Writer) + 8192, 1));
        Assert.False(MappedMemory.IsPresent(connection.Writer.View.Base + connection.Reader.Geometry.DataOffset + 8192, 1));
    }

    private static Connection Connect() =>
        Connection.Connect("echo", new ConnectOptions { ToServerCapacity = Capacity, ToClientCapacity = Capacity });

    private static byte* Data(RingWriter writer) => writer.View.Base + writer.Geometry.DataOffset;

    private static void AssertPresent(RingWriter writer, int length)
    {
        ulong start = (ulong)writer.Position % Capacity, size = RecordHeader.SizeOf((uint)length);
        bool wraps = start + size > Capacity;
        Assert.True(
            MappedMemory.IsPresent(Data(writer), wraps ? Capacity : Math.Min(start + size + Line, Capacity)),
            $"a claim of {length} bytes at {writer.Position}");
    }
}
