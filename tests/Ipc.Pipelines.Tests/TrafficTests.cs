using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading.Tasks;
using Ipc.Pipelines.Peer;
using Xunit;

namespace Ipc.Pipelines.Tests;

/// <summary>What goes in comes out.</summary>
public sealed class TrafficTests : PipeTest
{
    [Theory]
    [InlineData(4096, false, 1)]
    [InlineData(4096, true, 2)]
    [InlineData(65536, false, 3)]
    [InlineData(262144, true, 4)]
    public async Task RandomSizesGoBothWaysAtOnce(int capacity, bool copies, int seed)
    {
        ListenerOptions.CopyReads = copies;
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = capacity, ReceiveCapacity = capacity, CopyReads = copies });
        const int Total = 3_000_000;
        Task<long> there = ReceiveAsync(server, seed);
        Task<long> back = ReceiveAsync(client, seed + 1);
        await Task.WhenAll(Task.Run(() => SendAsync(client, Total, seed, 20_000)), Task.Run(() => SendAsync(server, Total, seed + 1, 20_000)), there, back);
        Assert.Equal(Total, await there);
        Assert.Equal(Total, await back);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AHundredMegabytesGoThroughAStream(bool synchronous)
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        const long Total = 100 << 20;
        Task sending = Task.Run(async () =>
        {
            byte[] bytes = new byte[1 << 20];
            using Stream stream = client.AsStream();
            for (long position = 0; position < Total; position += bytes.Length)
            {
                Content.Fill(bytes, position);
                if (synchronous)
                    stream.Write(bytes);
                else
                    await stream.WriteAsync(bytes, Hang);
            }
        });
        using Stream stream = server.AsStream();
        byte[] bytes = new byte[300_000];
        long position = 0;
        for (int length = 1; length != 0; position += length)
        {
            length = synchronous ? stream.Read(bytes) : await stream.ReadAsync(bytes, Hang);
            Assert.Equal(-1, Content.Wrong(bytes.AsSpan(0, length), position));
        }

        Assert.Equal(Total, position);
        await sending;
    }

    [Fact]
    public async Task ReadsAreInPlace()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        Memory<byte> written = client.Output.GetMemory(100);
        Content.Fill(written.Span[..100], 0);
        client.Output.Advance(100);
        await client.Output.FlushAsync(Hang);
        ReadResult result = await server.Input.ReadAsync(Hang);
        Assert.Equal(100, result.Buffer.Length);
        Assert.False(System.Runtime.InteropServices.MemoryMarshal.TryGetArray(result.Buffer.First, out _)); // no array: the ring
        ReadOnlyMemory<byte> read = result.Buffer.First;
        server.Input.AdvanceTo(result.Buffer.End);
        Assert.Throws<ObjectDisposedException>(() => read.Span.Length); // kept against the rules
        Assert.Throws<ObjectDisposedException>(() => written.Span.Length);
    }

    [Fact]
    public async Task WhatIsNotConsumedIsKept()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        Task sending = Task.Run(() => SendAsync(client, 200_000, 7, 3000));
        ReadResult all = await server.Input.ReadAtLeastAsync(200_000, Hang); // fifty times what the ring holds
        Assert.Equal(200_000, all.Buffer.Length);
        Assert.Equal(-1, Content.Wrong(all.Buffer.ToArray(), 0));
        server.Input.AdvanceTo(all.Buffer.GetPosition(199_999));
        Assert.True(server.Input.TryRead(out ReadResult last));
        Assert.Equal(Content.At(199_999), last.Buffer.FirstSpan[0]);
        server.Input.AdvanceTo(last.Buffer.End);
        await sending;
        Assert.True((await server.Input.ReadAsync(Hang)).IsCompleted);
    }

    [Fact]
    public async Task AReaderThatNeverAdvancesStopsItsWriterAndNobodyElse()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096 });
        (IpcPipe other, IpcPipe otherServer) = await PairAsync();
        Task sending = SendAsync(client, 50_000, 1, 2000);
        ReadResult first = await server.Input.ReadAsync(Hang);
        Assert.False(first.Buffer.IsEmpty);
        Task<long> received = ReceiveAsync(otherServer, 3);
        await SendAsync(other, 500_000, 2, 2000); // beside it
        Assert.Equal(500_000, await received);
        Assert.False(sending.IsCompleted);
        server.Input.AdvanceTo(first.Buffer.Start);
        Assert.Equal(50_000, await ReceiveAsync(server, 4));
        await sending;
    }

    [Fact]
    public async Task EmptyWritesAndZeroByteReadsMoveNothing()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        Stream writing = client.AsStream();
        Stream reading = server.AsStream();
        await writing.WriteAsync(ReadOnlyMemory<byte>.Empty, Hang);
        await writing.FlushAsync(Hang);
        ValueTask<int> nothing = reading.ReadAsync(Memory<byte>.Empty, Hang);
        Assert.False(nothing.IsCompleted); // it waits for something to be there
        await writing.WriteAsync(new byte[] { 1, 2, 3 }, Hang);
        Assert.Equal(0, await nothing);
        Assert.Equal(0, reading.Read([]));
        byte[] bytes = new byte[2];
        Assert.Equal(2, await reading.ReadAsync(bytes, Hang));
        Assert.Equal([1, 2], bytes);
        Assert.Equal(3, reading.ReadByte());
    }

    [Fact]
    public async Task WhatIsNotFlushedIsNotSent()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        client.Output.GetSpan(10).Fill(1);
        client.Output.Advance(10);
        Assert.Equal(10, client.Output.UnflushedBytes);
        Assert.False(server.Input.TryRead(out _));
        client.Output.GetSpan(100_000)[..5000].Fill(2); // longer than a piece: not in the ring
        client.Output.Advance(5000);
        Assert.Equal(5010, client.Output.UnflushedBytes);
        FlushResult flushed = await client.Output.FlushAsync(Hang);
        Assert.False(flushed.IsCompleted || flushed.IsCanceled);
        Assert.Equal(0, client.Output.UnflushedBytes);
        ReadResult read = await server.Input.ReadAtLeastAsync(5010, Hang);
        Assert.Equal(5010, read.Buffer.Length);
        Assert.Equal(1, read.Buffer.FirstSpan[9]);
        server.Input.AdvanceTo(read.Buffer.End);
    }

    [Fact]
    public async Task AConnectionOfOnesOwnIsAPipeAndAStream()
    {
        using Listener listener = Ipc.Listener.Open("own");
        ValueTask<Connection> accepting = listener.AcceptAsync(Hang);
        using IpcPipe client = (await Connection.ConnectAsync("own", cancellationToken: Hang)).AsPipe();
        using Stream server = (await accepting).AsStream();
        ValueTask<int> reading = server.ReadAsync(new byte[100], Hang);
        await client.Output.WriteAsync(new byte[60], Hang);
        Assert.Equal(60, await reading);
        await server.WriteAsync(new byte[70], Hang);
        Assert.Equal(70, (await client.Input.ReadAtLeastAsync(70, Hang)).Buffer.Length);
    }
}
