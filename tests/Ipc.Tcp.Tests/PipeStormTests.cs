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

/// <summary>Streams of bytes that end in good order, are disposed, or are cut anywhere: what looks like the end of a stream is its end, and what came is what was sent.</summary>
public sealed class PipeStormTests : TcpTest
{
    private static readonly int s_rounds = Switches.LongRuns ? 3000 : Switches.FullRuns ? 200 : 60;

    private static CancellationToken Patience => new CancellationTokenSource(Watchdog.Patience).Token;

    private sealed class Direction
    {
        /// <summary>All of it was written, and then the end.</summary>
        public bool HasEnded { get; set; }

        public long Written { get; set; }

        /// <summary>Its sender's side ended it: what that side still reads, from the other direction, is undefined.</summary>
        public volatile bool IsAborted;
    }

    [Theory]
    [InlineData(1, 4096, 0, false)]
    [InlineData(2, 65536, 1 << 20, true)]
    public async Task NoStreamLooksCompleteThatIsNot(int seed, int ring, int pool, bool tls)
    {
        if (tls)
            TlsTests.Secure(EntranceOptions, ExitOptions);
        if (Switches.LongRuns)
            seed = Environment.TickCount;
        Random random = new(seed);
        EntranceOptions.Connections = new ConnectOptions { ToServerCapacity = ring, ToClientCapacity = ring, LoanBudget = pool };
        await using IpcPipeListener listener = IpcPipeListener.Open("there");
        BadNetwork network = OpenNetwork(OpenEntrance());
        Own(TcpExit.Open("here", AddressOf(network), ExitOptions));
        int whole = 0;
        for (int round = 0; round < s_rounds; round++)
        {
            ValueTask<IpcPipe> accepted = listener.AcceptAsync(Patience);
            using IpcPipe client = await IpcPipe.ConnectAsync("here", new IpcPipeOptions { SendCapacity = ring, ReceiveCapacity = ring }, Patience);
            using IpcPipe server = await accepted;
            Direction there = new(), back = new();
            long most = random.Next(3) switch { 0 => 100, 1 => 20_000, _ => 1_000_000 };
            if (random.Next(2) == 0)
                network.CutAfter(random.Next(1, (int)most * 2));
            Task[] all =
            [
                SendAsync(client, there, random.NextInt64(most), random.Next()),
                SendAsync(server, back, random.NextInt64(most), random.Next()),
                ReceiveAsync(server, there, back, random.Next()),
                ReceiveAsync(client, back, there, random.Next()),
            ];
            await Task.WhenAll(all);
            network.CutAfter(int.MaxValue);
            whole += there.HasEnded && back.HasEnded ? 1 : 0;
        }

        Assert.True(whole > s_rounds / 10, $"{whole} of {s_rounds} were whole");
    }

    private static async Task SendAsync(IpcPipe pipe, Direction direction, long count, int seed)
    {
        Random random = new(seed);
        byte[] bytes = new byte[50_000];
        bool dies = random.Next(6) == 0; // in the middle
        try
        {
            while (direction.Written < count)
            {
                int length = (int)Math.Min(1 + random.Next(random.Next(2) == 0 ? 100 : bytes.Length), count - direction.Written);
                Content.Fill(bytes.AsSpan(0, length), direction.Written);
                direction.Written += length;
                if ((await pipe.Output.WriteAsync(bytes.AsMemory(0, length), Patience)).IsCompleted)
                    return;
                if (dies && direction.Written > count / 2)
                {
                    direction.IsAborted = true; // before
                    pipe.Abort("in the middle");
                    return;
                }
            }

            direction.HasEnded = true; // before: it may come at once
            await pipe.Output.CompleteAsync();
        }
        catch (Exception e) when (e is IpcException or ObjectDisposedException)
        {
            // it was cut
        }
    }

    private static async Task ReceiveAsync(IpcPipe pipe, Direction direction, Direction own, int seed)
    {
        Random random = new(seed);
        long position = 0;
        try
        {
            for (; ; )
            {
                ReadResult result = await pipe.Input.ReadAsync(Patience);
                foreach (ReadOnlyMemory<byte> piece in result.Buffer)
                {
                    long wrong = Content.Wrong(piece.Span, position);
                    if (own.IsAborted) // behind the look
                        return;
                    Assert.Equal(-1, wrong);
                    position += piece.Length;
                }

                pipe.Input.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                    break;
                if (random.Next(20) == 0)
                    await Task.Delay(random.Next(5));
            }
        }
        catch (Exception e) when (e is IpcException or ObjectDisposedException)
        {
            return; // it is told; or it was this side itself
        }

        if (own.IsAborted)
            return;
        Assert.True(direction.HasEnded, $"a stream looks complete after {position} bytes; its end was not written");
        Assert.Equal(direction.Written, position);
    }
}
