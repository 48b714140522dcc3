using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.IO.Pipelines;
using System.Threading.Tasks;
using Ipc.Pipelines;

namespace Ipc.Matrix.Cells;

/// <summary>An <see cref="IDuplexPipe"/> in shared memory, four bytes of length before each message, awaited on both sides.</summary>
internal sealed class DuplexPipeLink : Link
{
    private const int Head = 4;
    private const int Longest = 64 << 20;

    private IpcPipeListener? _listener;
    private Task<IpcPipe>? _accepting;
    private IpcPipe? _pipe;
    private byte[] _joined = [];

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        if (side == Side.Answering)
        {
            _listener = IpcPipeListener.Open(name, new IpcPipeListenerOptions { WaitMode = wait, MaxRingCapacity = Links.Capacity });
            _accepting = _listener.AcceptAsync().AsTask();
            return;
        }

        _pipe = IpcPipe.Connect(name, new IpcPipeOptions { WaitMode = wait, SendCapacity = Links.Capacity, ReceiveCapacity = Links.Capacity, ConnectTimeout = Patience });
    }

    public override void Prepare(Work work) => _pipe ??= _accepting!.WaitAsync(Patience).GetAwaiter().GetResult();

    public override void Measure(Work work, int count, Round round) => Task.Run(() => MeasureAsync(work, count, round)).GetAwaiter().GetResult();

    public override void Answer(Work work, int count) => Task.Run(() => AnswerAsync(work, count)).GetAwaiter().GetResult();

    public override void Dispose()
    {
        _pipe?.Dispose();
        _listener?.Dispose();
    }

    private async Task MeasureAsync(Work work, int count, Round round)
    {
        long number = work.Number, first = number + work.Batch, end = first + count;
        if (work.IsStream)
        {
            Write(work.Codec.Request(number));
            await _pipe!.Output.FlushAsync();
        }

        while (number < end)
        {
            if (number == first)
                round.Begin();
            int batch = (int)Math.Min(work.Batch, end - number);
            long began = Stopwatch.GetTimestamp();
            ValueTask<FlushResult> flushing = default;
            if (!work.IsStream)
            {
                for (int i = 0; i < batch; i++)
                    Write(work.Codec.Request(number + i));
                flushing = _pipe!.Output.FlushAsync(); // what is longer than the rings goes on while answers come
            }

            for (int i = 0; i < batch; i++, number++)
            {
                long stamp = await ReadAsync(bytes => work.Codec.CheckResponse(bytes, number));
                if (number >= first)
                    round.Note(work.IsStream ? stamp : began);
            }

            await flushing;
        }

        round.End();
        work.Number = number;
    }

    private async Task AnswerAsync(Work work, int count)
    {
        long number = work.Number, end = number + work.Batch + count;
        if (work.IsStream)
            await ReadAsync(bytes => CheckRequest(work, bytes, number));
        while (number < end)
        {
            int batch = (int)Math.Min(work.Batch, end - number);
            for (int i = 0; i < batch; i++, number++)
            {
                if (!work.IsStream)
                    await ReadAsync(bytes => CheckRequest(work, bytes, number));
                Write(work.Codec.Response(number, work.IsStream ? Stopwatch.GetTimestamp() : 0));
                if (work.Batch == 1)
                    await _pipe!.Output.FlushAsync();
            }

            if (work.Batch > 1)
                await _pipe!.Output.FlushAsync();
        }

        work.Number = number;
    }

    private static long CheckRequest(Work work, ReadOnlySpan<byte> bytes, long number)
    {
        work.Codec.CheckRequest(bytes, number);
        return 0;
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        PipeWriter output = _pipe!.Output;
        BinaryPrimitives.WriteInt32LittleEndian(output.GetSpan(Head), bytes.Length);
        output.Advance(Head);
        output.Write(bytes);
    }

    private async ValueTask<long> ReadAsync(Looks look)
    {
        PipeReader input = _pipe!.Input;
        ReadResult read = await input.ReadAtLeastAsync(Head);
        int length = LengthOf(read.Buffer);
        if (read.Buffer.Length < Head + length)
        {
            input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            read = await input.ReadAtLeastAsync(Head + length);
        }

        if (read.Buffer.Length < Head + length)
            throw new EndOfStreamException("The other process ended the pipe.");
        ReadOnlySequence<byte> message = read.Buffer.Slice(Head, length);
        long stamp = look(Contiguous(message));
        input.AdvanceTo(message.End);
        return stamp;
    }

    private static int LengthOf(ReadOnlySequence<byte> bytes)
    {
        if (bytes.Length < Head)
            throw new EndOfStreamException("The other process ended the pipe.");
        Span<byte> head = stackalloc byte[Head];
        bytes.Slice(0, Head).CopyTo(head);
        int length = BinaryPrimitives.ReadInt32LittleEndian(head);
        return length is >= 0 and <= Longest ? length : throw new InvalidDataException($"A message of {length} bytes is announced.");
    }

    private ReadOnlySpan<byte> Contiguous(ReadOnlySequence<byte> bytes)
    {
        if (bytes.IsSingleSegment)
            return bytes.FirstSpan;
        if (_joined.Length < bytes.Length)
            _joined = new byte[bytes.Length];
        bytes.CopyTo(_joined);
        return _joined.AsSpan(0, (int)bytes.Length);
    }

    /// <summary>Looks at a message where it is, and says its stamp.</summary>
    private delegate long Looks(ReadOnlySpan<byte> bytes);
}
