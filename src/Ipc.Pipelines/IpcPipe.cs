using System;
using System.Diagnostics;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>Bytes both ways through shared memory: two pipes of System.IO.Pipelines, or a stream.</summary>
/// <remarks>
/// <para>Reads are in place: what <see cref="Input"/> hands out is the ring itself, until <c>AdvanceTo</c>. Memory that
/// <see cref="Output"/> hands out is the ring, too, while there is room. A full ring holds the writer up, nothing
/// else.</para>
/// <para>Each half is for one thread at a time; cancelling, <see cref="Abort"/> and <see cref="Dispose"/> are for
/// any. <c>Output.Complete</c> says that no more will come, and the other direction goes on. When both halves are
/// completed the pipe is disposed.</para>
/// <para>How the other side ended: in good order, a read is completed, of a stream 0. Its death is an
/// <see cref="IpcException"/> (which is an <see cref="IOException"/>) with <see cref="IpcStatus.PeerDied"/>, and a
/// stream that was cut off one with <see cref="IpcStatus.PeerClosed"/>, after everything that was sent has been read.
/// A flush says <c>IsCompleted</c> when nobody reads any more, for whatever reason; a write of the stream
/// throws, unless all of it was in the ring by then.</para>
/// </remarks>
public sealed class IpcPipe : IDuplexPipe, IDisposable, IAsyncDisposable
{
    private readonly Readiness _readiness;
    private readonly RingPipeReader _reader;
    private readonly RingPipeWriter _writer;
    private readonly Action<IpcPipe>? _disposing;
    private readonly CancellationTokenSource _closed = new();
    private int _halves;   // [count] of those that are over
    private int _disposed; // [once], and the other side of [unsent]
    private int _told;     // [once]

    internal IpcPipe(
        Connection connection,
        Readiness readiness,
        WaitMode mode,
        TimeSpan spinLimit,
        bool copies,
        Action<IpcPipe>? disposing = null)
    {
        Connection = connection;
        _readiness = readiness;
        _disposing = disposing;
        _reader = new RingPipeReader(this, readiness, new PipeSpin(connection, mode, spinLimit), copies);
        _writer = new RingPipeWriter(this, new PipeSpin(connection, mode, spinLimit));
        connection.Closed += (_, _) => TellClosed();
        if (!connection.IsOpen)
            TellClosed(); // by now: that was raised before anybody listened
    }

    /// <summary>What the other side writes. <c>Complete</c> says that no more is wanted; the other side learns of it
    /// when the pipe ends.</summary>
    public PipeReader Input => _reader;

    /// <summary>What the other side reads.</summary>
    public PipeWriter Output => _writer;

    /// <summary>The other side's process, as it said itself.</summary>
    public int PeerProcessId => Connection.PeerProcessId;

    /// <summary>The other side's user, as the kernel says: see <see cref="Connection.PeerUserId"/>.
    /// <see langword="null"/> on Windows.</summary>
    public uint? PeerUserId => Connection.PeerUserId;

    /// <summary>What the client said when it connected (server's side).</summary>
    public ReadOnlyMemory<byte> Hello => PipeRecord.ApplicationOf(Connection.Hello);

    /// <summary>Neither side has ended, and the other process lives.</summary>
    public bool IsOpen => !IsDisposed && Connection.IsOpen;

    /// <summary>Cancelled, on the thread pool, when this side is disposed or the other has gone: when its process died
    /// at once, otherwise when a read meets its end, or a server's listener does. What a callback throws is traced and
    /// goes no further.</summary>
    public CancellationToken Closed => _closed.Token;

    internal Connection Connection { get; }

    internal bool IsDisposed => Volatile.Read(ref _disposed) != 0;

    internal RingPipeReader Reader => _reader;

    internal RingPipeWriter Writer => _writer;

    /// <summary>Connects to the <see cref="IpcPipeListener"/> of that name.</summary>
    /// <exception cref="IpcException">NotFound: no server; and what can go wrong with a region.</exception>
    /// <exception cref="ConnectionRefusedException">The server said no; its text is the message.</exception>
    public static IpcPipe Connect(
        string name, IpcPipeOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new IpcPipeOptions();
        return Of(Connection.Connect(name, ConnectOptionsOf(options), cancellationToken), options);
    }

    /// <summary>Connects to the <see cref="IpcPipeListener"/> of that name. No thread is held meanwhile.</summary>
    /// <exception cref="IpcException">NotFound: no server; and what can go wrong with a region.</exception>
    /// <exception cref="ConnectionRefusedException">The server said no; its text is the message.</exception>
    /// <exception cref="TimeoutException">The server is there and did not answer in time.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public static async Task<IpcPipe> ConnectAsync(
        string name, IpcPipeOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new IpcPipeOptions();
        Connection connection = await Connection.ConnectAsync(
            name, ConnectOptionsOf(options), cancellationToken).ConfigureAwait(false);
        return Of(connection, options);
    }

    /// <summary>The same as a stream, which disposes the pipe when it is disposed.</summary>
    public Stream AsStream() => new IpcPipeStream(this);

    /// <summary>Ends at once: the other side's read fails with <see cref="IpcStatus.PeerClosed"/>.</summary>
    /// <param name="reason">For the other side, if this is the server's; cut to 240 bytes.</param>
    public void Abort(string? reason = null)
    {
        if (!IsDisposed)
            Connection.Shutdown(CloseCode.Protocol, reason ?? "The pipe was aborted.");
        Dispose();
    }

    /// <summary>Ends. In good order if everything that was given to <see cref="Output"/> was flushed: then the other
    /// side reads it, and that it was all. Pending reads and flushes of this side end. Idempotent.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        if (Connection.IsOpen && _writer.CutsOff())
            Connection.Shutdown(CloseCode.Protocol, "The pipe was disposed in the middle of a write.");
        Connection.Dispose();
        _readiness.Close();
        TellClosed();
        _disposing?.Invoke(this);
    }

    /// <summary>The same, after what <c>Output.Complete</c> left to be sent.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_writer.Tail is { } tail)
            await tail.ConfigureAwait(false);
        Dispose();
    }

    internal static IpcPipe Of(Connection connection, IpcPipeOptions options) => new(
        connection, new RingReadiness(connection.Reader), options.WaitMode, options.SpinLimit, options.CopyReads);

    internal void HalfIsOver()
    {
        if (Interlocked.Increment(ref _halves) == 2)
            Dispose();
    }

    /// <summary>The other side has gone, and not as it should.</summary>
    internal Exception HowItEnded()
    {
        TellClosed();
        if (IsDisposed)
            return new ObjectDisposedException(nameof(IpcPipe), "The pipe is disposed.");
        if (Connection.Reader.Peer == PeerState.Died)
            return new IpcException(IpcStatus.PeerDied, $"The other side's process ({PeerProcessId}) has died.");
        CloseCode code = Connection.PeerCloseCode;
        return new IpcException(
            IpcStatus.PeerClosed,
            $"The other side has closed the pipe ({code}){(Connection.PeerCloseText is { } text ? ": " + text : ".")}");
    }

    /// <summary>The other side has gone, or this one.</summary>
    internal void TellClosed()
    {
        if (Interlocked.Exchange(ref _told, 1) == 0)
            ThreadPool.QueueUserWorkItem(static closed => Cancel((CancellationTokenSource)closed!), _closed);
    }

    private static void Cancel(CancellationTokenSource closed)
    {
        try
        {
            closed.Cancel();
        }
        catch (AggregateException error) // a callback's failure is its author's; unhandled here it ends the process
        {
            Trace.TraceError("A callback of IpcPipe.Closed threw: " + error);
        }
    }

    private static ConnectOptions ConnectOptionsOf(IpcPipeOptions options) => new()
    {
        ToServerCapacity = options.SendCapacity,
        ToClientCapacity = options.ReceiveCapacity,
        LoanBudget = 0, // pieces are short, and what is not must not hold memory
        WaitMode = options.WaitMode,
        SpinLimit = options.SpinLimit,
        Access = options.Access,
        Deadline = Deadline.After(options.ConnectTimeout),
        Hello = PipeRecord.HelloOf(options.Hello.Span),
        Protocol = PipeRecord.Protocol,
    };
}
