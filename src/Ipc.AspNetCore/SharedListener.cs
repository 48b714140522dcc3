using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc.Pipelines;

namespace Ipc.AspNetCore;

/// <summary>The listener of a name, for the end points that share it. A connection goes to one of them by how it
/// begins.</summary>
internal sealed class SharedListener
{
    /// <summary>A client that says nothing is held as long as the server holds an idle connection.</summary>
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(130);

    private readonly IpcPipeListener _listener;
    private readonly bool _sorts;
    private readonly Channel<IpcPipe> _one = Channel.CreateUnbounded<IpcPipe>();
    private readonly Channel<IpcPipe> _two = Channel.CreateUnbounded<IpcPipe>();

    /// <param name="name">To listen at.</param>
    /// <param name="options">How.</param>
    /// <param name="sorts">There are end points for both versions.</param>
    public SharedListener(string name, IpcPipeListenerOptions options, bool sorts)
    {
        _sorts = sorts;
        _listener = IpcPipeListener.Open(name, options);
        _ = RunAsync();
    }

    private static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    /// <summary>End points that have it. Under the factory's lock.</summary>
    public int Users { get; set; }

    public async ValueTask<IpcPipe?> AcceptAsync(HttpVersions versions, CancellationToken cancellationToken)
    {
        ChannelReader<IpcPipe> reader = (versions == HttpVersions.Two ? _two : _one).Reader;
        try
        {
            return await reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            return null;
        }
    }

    public void Stop()
    {
        _listener.Stop();
        _one.Writer.TryComplete();
        _two.Writer.TryComplete();
    }

    public void Dispose() => _listener.Dispose();

    private async Task RunAsync()
    {
        await foreach (IpcPipe pipe in _listener.AcceptAllAsync().ConfigureAwait(false))
        {
            if (_sorts)
                _ = SortAsync(pipe);
            else if (!_one.Writer.TryWrite(pipe))
                pipe.Dispose();
        }
    }

    private async Task SortAsync(IpcPipe pipe)
    {
        try
        {
            using CancellationTokenSource silence = new(s_silence);
            Channel<IpcPipe> channel = await BeginsAsTwoAsync(pipe.Input, silence.Token).ConfigureAwait(false)
                ? _two
                : _one;
            if (channel.Writer.TryWrite(pipe))
                return;
        }
        catch (Exception error) when (error is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // it has gone, or says nothing
        }

        pipe.Dispose();
    }

    /// <summary>Looks, and leaves everything there.</summary>
    private static async ValueTask<bool> BeginsAsTwoAsync(PipeReader input, CancellationToken cancellationToken)
    {
        for (; ; )
        {
            ReadResult read = await input.ReadAsync(cancellationToken).ConfigureAwait(false);
            int length = (int)Math.Min(read.Buffer.Length, Preface.Length);
            byte[] begin = read.Buffer.Slice(0, length).ToArray();
            bool fits = Preface[..length].SequenceEqual(begin);
            bool isKnown = !fits || length == Preface.Length || read.IsCompleted;
            input.AdvanceTo(read.Buffer.Start, isKnown ? read.Buffer.Start : read.Buffer.End);
            if (isKnown)
                return fits && length == Preface.Length;
        }
    }
}
