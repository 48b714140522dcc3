using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;
using Ipc.Pipelines.Peer;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Pipelines.Tests;

/// <summary>The other side is a process of its own and dies by SIGKILL, whatever it is at.</summary>
public sealed class DeathTests : PipeTest
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task OfAKilledClientAllThatCameIsTrueAndThenItIsKnown(int seed)
    {
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        OtherProcess client = Peer(isServer: false, "send", "pipe", $"{seed}");
        using IpcPipe server = await accepting;
        Assert.Equal(client.Id, server.PeerProcessId);
        Task killing = KillAfter(client, seed);
        await ReadUntilDeathAsync(server);
        await killing;
        Assert.True(server.Closed.WaitHandle.WaitOne(Watchdog.Patience));
        Assert.True((await server.Output.WriteAsync(new byte[10], Hang)).IsCompleted);
    }

    [Theory]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    public async Task OfAKilledServerAllThatCameIsTrueAndItsSuccessorTakesOver(int seed)
    {
        OtherProcess server = Peer(isServer: true, "source", "served", $"{seed}");
        using IpcPipe client = await IpcPipe.ConnectAsync("served", cancellationToken: Hang);
        Task killing = KillAfter(server, seed);
        await ReadUntilDeathAsync(client);
        await killing;
        Peer(isServer: true, "echo", "served");
        using IpcPipe next = await IpcPipe.ConnectAsync("served", cancellationToken: Hang);
        Task sending = SendAsync(next, 500_000, seed, 10_000);
        Assert.Equal(500_000, await ReceiveAsync(next, seed));
        await sending;
    }

    [Fact]
    public async Task AWriterWithoutRoomLearnsOfTheDeathOfItsReader()
    {
        OtherProcess server = Peer(isServer: true, "source", "served", "1"); // which never reads
        using IpcPipe client = await IpcPipe.ConnectAsync("served", cancellationToken: Hang);
        Task<FlushResult> flushing = client.Output.WriteAsync(new byte[1 << 20], Hang).AsTask();
        await Task.Delay(20);
        Assert.False(flushing.IsCompleted);
        server.Kill();
        Assert.True((await flushing).IsCompleted);
        await FailsAsync(IpcStatus.PeerDied, async () => await client.AsStream().WriteAsync(new byte[1], Hang));
    }

    [Fact]
    public async Task AnIdleReaderLearnsOfTheDeath()
    {
        OtherProcess server = Peer(isServer: true, "echo", "served");
        using IpcPipe client = await IpcPipe.ConnectAsync("served", cancellationToken: Hang);
        Task<ReadResult> reading = client.Input.ReadAsync(Hang).AsTask();
        await Task.Delay(20);
        server.Kill();
        await FailsAsync(IpcStatus.PeerDied, () => reading);
        Assert.False(client.IsOpen);
    }

    private static async Task KillAfter(OtherProcess process, int seed)
    {
        await Task.Delay(new Random(seed).Next(300));
        process.Kill();
    }

    private static async Task ReadUntilDeathAsync(IpcPipe pipe)
    {
        long position = 0;
        await FailsAsync(IpcStatus.PeerDied, async () =>
        {
            for (; ; )
            {
                ReadResult result = await pipe.Input.ReadAsync(Hang);
                Assert.False(result.IsCompleted);
                foreach (ReadOnlyMemory<byte> piece in result.Buffer)
                {
                    Assert.Equal(-1, Content.Wrong(piece.Span, position));
                    position += piece.Length;
                }

                pipe.Input.AdvanceTo(result.Buffer.End);
            }
        });
    }
}
