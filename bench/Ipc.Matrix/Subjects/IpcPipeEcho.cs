using System;
using System.Diagnostics;
using System.IO;
using System.IO.Pipelines;
using System.Threading.Tasks;
using Ipc.Pipelines;

namespace Ipc.Matrix;

/// <summary>Bytes there and back over an <see cref="IDuplexPipe"/> in shared memory, awaited on both sides.</summary>
internal sealed class IpcPipeEcho(int size, int count) : Subject(count)
{
    private readonly byte[] _bytes = new byte[size];
    private IpcPipeListener? _listener;
    private IpcPipe? _pipe;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
            _listener = IpcPipeListener.Open(name);
        else
            _pipe = IpcPipe.Connect(name);
    }

    public override double Measure(int count) => Units.Convert(MeasureAsync(count).GetAwaiter().GetResult(), Unit.Nanoseconds, Unit.Microseconds);

    public override void Answer(int count) => AnswerAsync(count).GetAwaiter().GetResult();

    public override void Dispose()
    {
        _pipe?.Dispose();
        _listener?.Dispose();
    }

    private async Task<double> MeasureAsync(int count)
    {
        await RoundTripAsync();
        long began = Stopwatch.GetTimestamp();
        if (Ticks is { } ticks)
        {
            for (int i = 0; i < count; i++)
            {
                long start = Stopwatch.GetTimestamp();
                await RoundTripAsync();
                ticks[i] = Stopwatch.GetTimestamp() - start;
            }
        }
        else
        {
            for (int i = 0; i < count; i++)
                await RoundTripAsync();
        }

        return Nanoseconds(began, count);
    }

    private async ValueTask RoundTripAsync()
    {
        ValueTask<FlushResult> writing = _pipe!.Output.WriteAsync(_bytes); // what is longer than the rings goes on while it comes back
        for (long left = _bytes.Length; left != 0;)
        {
            ReadResult read = await _pipe.Input.ReadAsync();
            if (read.IsCompleted)
                throw new EndOfStreamException("The answering side has ended.");
            left -= read.Buffer.Length;
            _pipe.Input.AdvanceTo(read.Buffer.End);
        }

        await writing;
    }

    /// <summary>Straight from one ring into the other.</summary>
    private async Task AnswerAsync(int count)
    {
        _pipe ??= await _listener!.AcceptAsync();
        for (long left = (count + 1L) * _bytes.Length; left != 0;)
        {
            ReadResult read = await _pipe.Input.ReadAsync();
            if (read.IsCompleted)
                throw new EndOfStreamException("The measuring side has ended.");
            left -= read.Buffer.Length;
            foreach (ReadOnlyMemory<byte> piece in read.Buffer)
                await _pipe.Output.WriteAsync(piece);
            _pipe.Input.AdvanceTo(read.Buffer.End);
        }
    }
}
