using System;
using System.Buffers;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>A pipe as a stream. A write is sent at once: there is nothing that a flush would add.</summary>
internal sealed class IpcPipeStream : Stream
{
    private readonly IpcPipe _pipe;

    public IpcPipeStream(IpcPipe pipe) => _pipe = pipe;

    public override bool CanRead => !_pipe.IsDisposed;

    public override bool CanWrite => !_pipe.IsDisposed;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(byte[] buffer, int offset, int count)
    {
        Check(buffer, offset, count);
        return ReadNow(buffer.AsSpan(offset, count));
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        Check(buffer, offset, count);
        return ReadLater(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    public override void Write(byte[] buffer, int offset, int count)
    {
        Check(buffer, offset, count);
        WriteNow(buffer.AsSpan(offset, count));
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        Check(buffer, offset, count);
        return WriteLater(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

#if NET
    public override int Read(Span<byte> buffer) => ReadNow(buffer);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        ReadLater(buffer, cancellationToken);

    public override void Write(ReadOnlySpan<byte> buffer) => WriteNow(buffer);

    public override ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        WriteLater(buffer, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await _pipe.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }
#endif

    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken) =>
        _pipe.Input.CopyToAsync(destination, cancellationToken);

    public override void Flush() => WriteNow(default);

    public override Task FlushAsync(CancellationToken cancellationToken) =>
        WriteLater(default, cancellationToken).AsTask();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _pipe.Dispose();
        base.Dispose(disposing);
    }

    private int ReadNow(Span<byte> buffer)
    {
        CheckNotDisposed();
        return Take(_pipe.Reader.Read(), buffer);
    }

    private ValueTask<int> ReadLater(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        CheckNotDisposed();
        ValueTask<ReadResult> read = _pipe.Input.ReadAsync(cancellationToken);
        return read.IsCompletedSuccessfully
            ? new ValueTask<int>(Take(read.Result, buffer.Span))
            : Later(read, buffer);

        async ValueTask<int> Later(ValueTask<ReadResult> read, Memory<byte> buffer) =>
            Take(await read.ConfigureAwait(false), buffer.Span);
    }

    private int Take(in ReadResult result, Span<byte> buffer)
    {
        if (result.IsCanceled)
        {
            _pipe.Input.AdvanceTo(result.Buffer.Start);
            throw new OperationCanceledException("The read was cancelled by CancelPendingRead.");
        }

        ReadOnlySequence<byte> taken = result.Buffer;
        if (taken.Length > buffer.Length)
            taken = taken.Slice(0, buffer.Length);
        int length = (int)taken.Length; // it knows no more of it when its segments are given back
        taken.CopyTo(buffer);
        _pipe.Input.AdvanceTo(taken.End);
        return length;
    }

    private void WriteNow(ReadOnlySpan<byte> buffer)
    {
        CheckNotDisposed();
        if (!_pipe.Writer.Write(buffer))
            throw _pipe.HowItEnded();
    }

    private ValueTask WriteLater(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        CheckNotDisposed();
        ValueTask<FlushResult> write = _pipe.Output.WriteAsync(buffer, cancellationToken);
        if (!write.IsCompletedSuccessfully)
            return Later(write);
        CheckWritten(write.Result);
        return default;

        async ValueTask Later(ValueTask<FlushResult> write) => CheckWritten(await write.ConfigureAwait(false));
    }

    private void CheckWritten(FlushResult result)
    {
        if (result.IsCanceled)
            throw new OperationCanceledException("The write was cancelled by CancelPendingFlush.");
        if (result.IsCompleted && _pipe.Writer.HasLost)
            throw _pipe.HowItEnded(); // if not, all of it is in the ring: who has gone may have read and answered it
    }

    private void CheckNotDisposed()
    {
        if (_pipe.IsDisposed)
            throw new ObjectDisposedException(nameof(IpcPipeStream), "The pipe is disposed.");
    }

    private static void Check(byte[] buffer, int offset, int count)
    {
        if (buffer is null)
            throw new ArgumentNullException(nameof(buffer));
        if ((uint)offset > (uint)buffer.Length || (uint)count > (uint)(buffer.Length - offset))
            throw new ArgumentOutOfRangeException(nameof(count));
    }
}
