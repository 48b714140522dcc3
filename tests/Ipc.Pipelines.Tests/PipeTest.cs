using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Pipelines.Peer;
using Ipc.Testing.Drive;
using Xunit;

// IPC_DIR is the process's: one test at a time has it.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Ipc.Pipelines.Tests;

/// <summary>A test with a region directory of its own, and a listener in it. A file that stays there fails it.</summary>
public abstract class PipeTest : IDisposable
{
    private readonly Stack<IDisposable> _owned = new();
    private readonly string? _before = Environment.GetEnvironmentVariable("IPC_DIR");
    private IpcPipeListener? _listener;

    protected PipeTest() => Environment.SetEnvironmentVariable("IPC_DIR", Regions.Path);

    protected RegionDirectory Regions { get; } = new();

    protected IpcPipeListenerOptions ListenerOptions { get; } = new();

    protected IpcPipeListener Listener => _listener ??= Own(IpcPipeListener.Open("pipe", ListenerOptions));

    /// <summary>Of one that is there no more than a hang is.</summary>
    protected static CancellationToken Hang => new CancellationTokenSource(Watchdog.Patience).Token;

    protected T Own<T>(T mine) where T : IDisposable
    {
        _owned.Push(mine);
        return mine;
    }

    /// <summary>Both ends.</summary>
    protected async Task<(IpcPipe Client, IpcPipe Server)> PairAsync(IpcPipeOptions? options = null)
    {
        IpcPipeListener listener = Listener;
        ValueTask<IpcPipe> accepted = listener.AcceptAsync(Hang);
        IpcPipe client = Own(await IpcPipe.ConnectAsync("pipe", options, Hang));
        return (client, Own(await accepted));
    }

    protected OtherProcess Peer(bool isServer, params string[] words) =>
        Own(new OtherProcess(isServer, null, [PeerPrograms.Dotnet, typeof(Content).Assembly.Location, .. words]).WaitUntilReady());

    /// <summary>Writes so much of the content, in pieces of random sizes and every way there is, and completes.</summary>
    protected static async Task SendAsync(IpcPipe pipe, long total, int seed, int longest)
    {
        Random random = new(seed);
        byte[] bytes = new byte[longest];
        for (long position = 0; position < total;)
        {
            int length = (int)Math.Min(random.Next(random.Next(2) == 0 ? 100 : longest), total - position);
            if (random.Next(3) == 0)
            {
                Memory<byte> memory = pipe.Output.GetMemory(random.Next(2) == 0 ? length : 0);
                length = Math.Min(memory.Length, length);
                Content.Fill(memory.Span[..length], position);
                pipe.Output.Advance(length);
                if (random.Next(3) == 0)
                    await pipe.Output.FlushAsync(Hang);
            }
            else
            {
                Content.Fill(bytes.AsSpan(0, length), position);
                await pipe.Output.WriteAsync(bytes.AsMemory(0, length), Hang);
            }

            position += length;
        }

        await pipe.Output.CompleteAsync();
    }

    /// <summary>Reads to the end and consumes in portions of random sizes, not always all that was examined. Returns how much there was. <paramref name="disposing"/> is cancelled before this side is disposed:
    /// from then on what was handed out in place may be written over.</summary>
    protected static async Task<long> ReceiveAsync(IpcPipe pipe, int seed, CancellationToken disposing = default)
    {
        Random random = new(seed);
        long position = 0;
        for (; ; )
        {
            ReadResult result = await pipe.Input.ReadAsync(Hang);
            long at = position;
            foreach (ReadOnlyMemory<byte> piece in result.Buffer)
            {
                long wrong = Content.Wrong(piece.Span, at);
                disposing.ThrowIfCancellationRequested();
                Assert.Equal(-1, wrong);
                at += piece.Length;
            }

            if (result.IsCompleted && (result.Buffer.IsEmpty || random.Next(2) == 0))
                return at;
            long consumed = random.Next(3) switch { 0 => 0, 1 => result.Buffer.Length, _ => random.NextInt64(result.Buffer.Length + 1) };
            position += consumed;
            pipe.Input.AdvanceTo(
                result.Buffer.GetPosition(consumed),
                result.Buffer.GetPosition(random.Next(2) == 0 ? result.Buffer.Length : random.NextInt64(consumed, result.Buffer.Length + 1)));
        }
    }

    protected static async Task ReadToEndAsync(IpcPipe pipe)
    {
        for (; ; )
        {
            ReadResult result = await pipe.Input.ReadAsync(Hang);
            pipe.Input.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
                return;
        }
    }

    protected static async Task<IpcException> FailsAsync(IpcStatus status, Func<Task> action)
    {
        IpcException error = await Assert.ThrowsAnyAsync<IpcException>(action);
        Assert.True(status == error.Status, error.ToString());
        Assert.IsAssignableFrom<IOException>(error);
        return error;
    }

    public void Dispose()
    {
        while (_owned.Count > 0)
            _owned.Pop().Dispose();
        Environment.SetEnvironmentVariable("IPC_DIR", _before);
        string[] left = [.. Directory.GetFileSystemEntries(Regions.Path)];
        Regions.Dispose();
        GC.SuppressFinalize(this);
        Assert.Empty(left);
    }
}
