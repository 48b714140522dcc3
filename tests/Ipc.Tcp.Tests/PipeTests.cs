using System;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Core.Tests;
using Ipc.Pipelines;
using Ipc.Pipelines.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>Streams of bytes to another machine.</summary>
public sealed class PipeTests : TcpTest
{
    private const long Long = 10_000_000;

    private static CancellationToken Patience => new CancellationTokenSource(Watchdog.Patience).Token;

    private async Task<(IpcPipe Client, IpcPipe Server)> PairAsync(IpcPipeListener listener, string name = "here", IpcPipeOptions? options = null)
    {
        ValueTask<IpcPipe> accepted = listener.AcceptAsync(Patience);
        IpcPipe client = Own(await IpcPipe.ConnectAsync(name, options, Patience));
        return (client, Own(await accepted));
    }

    private static async Task SendAsync(IpcPipe pipe, long count, int seed, bool ends = true)
    {
        Random random = new(seed);
        byte[] bytes = new byte[200_000];
        for (long position = 0; position < count;)
        {
            int length = (int)Math.Min(random.Next(random.Next(2) == 0 ? 100 : bytes.Length), count - position);
            Content.Fill(bytes.AsSpan(0, length), position);
            await pipe.Output.WriteAsync(bytes.AsMemory(0, length), Patience);
            position += length;
        }

        if (ends)
            await pipe.Output.CompleteAsync();
    }

    /// <summary>To the end of the stream; all of it is as it was sent, also where the end is an error.</summary>
    private static async Task<long> ReceiveAsync(IpcPipe pipe, Action<long>? got = null)
    {
        for (long position = 0; ;)
        {
            ReadResult result = await pipe.Input.ReadAsync(Patience);
            foreach (ReadOnlyMemory<byte> piece in result.Buffer)
            {
                Assert.Equal(-1, Content.Wrong(piece.Span, position));
                position += piece.Length;
            }

            pipe.Input.AdvanceTo(result.Buffer.End);
            got?.Invoke(position);
            if (result.IsCompleted)
                return position;
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task TenMegabytesGoBothWaysAtOnce(bool byAddress)
    {
        await using IpcPipeListener listener = IpcPipeListener.Open("there");
        string address = AddressOf(OpenEntrance()), name = byAddress ? address : "here";
        using Closing closing = new();
        if (byAddress)
            TcpAddresses.Register(ExitOptions);
        else
            Own(TcpExit.Open("here", address, ExitOptions));
        (IpcPipe client, IpcPipe server) = await PairAsync(listener, name, new IpcPipeOptions { Hello = Text("me") });
        Assert.True(server.Hello.Span.SequenceEqual("me"u8));
        Task[] sending = [SendAsync(client, Long, 1), SendAsync(server, Long, 2)];
        Task<long>[] receiving = [ReceiveAsync(client), ReceiveAsync(server)];
        foreach (long received in await Task.WhenAll(receiving))
            Assert.Equal(Long, received);
        await Task.WhenAll(sending);
        client.Dispose();
        server.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OneDirectionEndsAndTheOtherGoesOn(bool ofTheClient)
    {
        await using IpcPipeListener listener = IpcPipeListener.Open("there");
        Own(TcpExit.Open("here", AddressOf(OpenEntrance()), ExitOptions));
        (IpcPipe client, IpcPipe server) = await PairAsync(listener);
        (IpcPipe ends, IpcPipe goesOn) = ofTheClient ? (client, server) : (server, client);
        await SendAsync(ends, 1000, 3);
        Assert.Equal(1000, await ReceiveAsync(goesOn));
        Assert.True(ends.IsOpen && goesOn.IsOpen);
        Task sending = SendAsync(goesOn, 1_000_000, 4);
        Assert.Equal(1_000_000, await ReceiveAsync(ends));
        await sending;
        goesOn.Input.Complete();
        ends.Input.Complete(); // both halves are over on both sides
        Assert.False(ends.IsOpen || goesOn.IsOpen);
    }

    /// <summary>What had come is what was sent, and its end is never taken for the end of the stream.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(200_000)]
    [InlineData(3_000_000)]
    public async Task ACutNetworkIsAnErrorOnBothSides(int bytes)
    {
        await using IpcPipeListener listener = IpcPipeListener.Open("there");
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        (IpcPipe client, IpcPipe server) = await PairAsync(listener);
        network.CutAfter(bytes);
        Task[] sending = [WriteUntilNobodyReadsAsync(client), WriteUntilNobodyReadsAsync(server)];
        Task<IpcException>[] receiving = [FailsAsync(client), FailsAsync(server)];
        foreach (IpcException error in await Task.WhenAll(receiving))
        {
            Assert.Equal(IpcStatus.PeerClosed, error.Status);
            Assert.Contains(nameof(CloseCode.Lost), error.Message, StringComparison.Ordinal);
        }

        await Task.WhenAll(sending);
        client.Dispose();
        server.Dispose();
        (client, server) = await PairAsync(listener); // and there is a way again
        Task<long> received = ReceiveAsync(server);
        await SendAsync(client, 1000, 5);
        Assert.Equal(1000, await received);
        client.Dispose();
        server.Dispose();
    }

    private static Task<IpcException> FailsAsync(IpcPipe pipe) => Assert.ThrowsAnyAsync<IpcException>(() => ReceiveAsync(pipe));

    private static async Task WriteUntilNobodyReadsAsync(IpcPipe pipe)
    {
        byte[] bytes = new byte[10_000];
        for (long position = 0; ; position += bytes.Length)
        {
            Content.Fill(bytes, position);
            if ((await pipe.Output.WriteAsync(bytes, Patience)).IsCompleted)
                return;
        }
    }

    private sealed class Closing : IDisposable
    {
        public void Dispose() => TcpAddresses.Close();
    }
}
