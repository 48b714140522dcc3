using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

// A persistent queue of shared memory has what an outbox needs: what was sent stays when everybody has gone, one that
// was received by a process that died comes again, and says so. That word becomes the mark of the call.

/// <summary>Takes one-way calls while the broker is away, or slow, and sends them when it can: they wait in a queue of
/// this machine, also while no program of it runs.</summary>
/// <remarks>
/// <para>A call returns when it is in the queue, and no broker is asked: generated proxies need no change
/// (<see cref="For{TContract}"/>). Each is sent until the broker has confirmed it, by whichever process has the outbox
/// open and <see cref="RabbitMqOutboxOptions.Sends"/>. One that may have been sent before, because a process was killed
/// or a connection lost, goes with the same message id and is marked
/// (<see cref="RabbitMqMarks.Redelivered"/>).</para>
/// <para>The queue is a file of the region directory. It outlives programs, not the machine, unless that directory
/// (<c>IPC_DIR</c>) is on a disk; nothing is forced to the disk.</para>
/// <para>Calls arrive about in their order; exactly so where one process sends with a
/// <see cref="RabbitMqOutboxOptions.Window"/> of 1. They have no deadlines.</para>
/// </remarks>
/// <example><code>
/// await using RabbitMqOutbox outbox = RabbitMqOutbox.Open("audit", "amqp://me:secret@broker/trading/audit");
/// outbox.For&lt;IAudit&gt;().Note(entry);
/// </code></example>
public sealed class RabbitMqOutbox : RpcCaller, IAsyncDisposable
{
    private static readonly TimeSpan _again = TimeSpan.FromSeconds(1);

    private readonly SharedQueue _queue;
    private readonly RabbitMqClient _client;
    private readonly RabbitMqOutboxOptions _options;
    private readonly RpcMetadata _metadata;
    private readonly RabbitMqOutbox? _whole; // of which this is a view
    private readonly SemaphoreSlim _places;
    private readonly object _taking = new(); // a message goes from the queue into the hand: who looks counts it once
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _run = Task.CompletedTask;
    private volatile string? _trouble;
    private long _sent; // [count]
    private int _inHand; // [count] received, and not released
    private int _disposed; // [once]

    private RabbitMqOutbox(string name, string address, RabbitMqOutboxOptions options)
    {
        Name = name;
        _options = options;
        _metadata = new RpcMetadata();
        _client = RabbitMqClient.Create(address, options.Broker);
        _places = new SemaphoreSlim(options.Window, options.Window);
        _queue = SharedQueue.Open(name, options.Queue);
        if (options.Sends)
            _run = Background.Repeat(SendAllAsync, trouble => _trouble = trouble, _again, _closing.Token);
    }

    private RabbitMqOutbox(RabbitMqOutbox whole, RpcMetadata metadata)
    {
        Name = whole.Name;
        _whole = whole._whole ?? whole;
        _options = whole._options;
        _metadata = metadata;
        _client = whole._client;
        _queue = whole._queue;
        _places = whole._places;
    }

    /// <summary>The queue's name on this machine.</summary>
    public string Name { get; }

    /// <summary>How many calls wait, of all processes, and are on their way to the broker from this one; not those that
    /// another process has on its way.</summary>
    public long Waiting
    {
        get
        {
            RabbitMqOutbox whole = _whole ?? this;
            lock (whole._taking)
                return _queue.GetInfo().Depth + whole._inHand;
        }
    }

    /// <summary>How many calls this process has sent, and the broker has confirmed.</summary>
    public long Sent => Interlocked.Read(ref (_whole ?? this)._sent);

    /// <summary>What holds the sending up, as was said last; <see langword="null"/> when nothing does. It has no
    /// password.</summary>
    public string? Trouble => (_whole ?? this)._trouble;

    /// <summary>Opens the queue, or creates it, and begins to send what waits there. It does not wait for the
    /// broker.</summary>
    /// <param name="name">The queue's name on this machine, for one service at one broker.</param>
    /// <param name="address">As of <see cref="RabbitMqClient.ConnectAsync"/>.</param>
    /// <param name="options">Options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentException">It is no such address; an option cannot be.</exception>
    /// <exception cref="IpcException">The queue cannot be opened: it is no queue, has another lifetime, or there is no
    /// memory.</exception>
    public static RabbitMqOutbox Open(string name, string address, RabbitMqOutboxOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(name);
        return new RabbitMqOutbox(name, address, (options ?? new RabbitMqOutboxOptions()).Checked());
    }

    /// <summary>A proxy of the contract, whose one-way methods can be called.</summary>
    /// <exception cref="InvalidOperationException">The contract is not registered; the text says what to
    /// do.</exception>
    public TContract For<TContract>()
        where TContract : class
        => RpcContracts.Client<TContract>(this);

    /// <summary>The same with this metadata for its calls. It is copied. Disposing the view does nothing.</summary>
    public RabbitMqOutbox With(RpcMetadata metadata)
    {
        ArgumentNullException.ThrowIfNull(metadata);
        RpcMetadata copy = new();
        foreach ((string key, ReadOnlyMemory<byte> value) in metadata)
            copy.Add(key, value.ToArray());
        return new RabbitMqOutbox(this, copy);
    }

    /// <summary>Puts a one-way call into the outbox. It does not wait.</summary>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.ResourceExhausted"/>: the outbox is full, or the call is
    /// larger than it holds. <see cref="RpcStatus.InvalidArgument"/>: it cannot be encoded.</exception>
    /// <exception cref="ObjectDisposedException">The outbox is disposed.</exception>
    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
    {
        ArgumentNullException.ThrowIfNull(method);
        byte[] record;
        try
        {
            Dictionary<string, object?> trace = new();
            Wire.AddTrace(trace);
            OutboxRecord call = new(
                Guid.NewGuid().ToString("N"),
                method.Service,
                method.Name,
                Wire.Encode(method.Request, in request),
                _metadata,
                trace.GetValueOrDefault(Wire.TraceParent) as string ?? string.Empty,
                trace.GetValueOrDefault(Wire.TraceState) as string ?? string.Empty);
            if (call.TraceState.Length > 500)
                call = call with { TraceState = string.Empty };
            if (call.Wrong is { } wrong)
                throw Failed(
                    method, RpcStatus.InvalidArgument,
                    "A call of " + method.FullName + " cannot be sent: " + wrong + ".");
            if (call.Body.Length > _client.Caller.Options.MostToSend)
                throw Failed(
                    method, RpcStatus.ResourceExhausted,
                    "A call of " + method.FullName + " has " + call.Body.Length + " bytes; " +
                    _client.Caller.Options.SaysMostToSend(nameof(RabbitMqClientOptions)));
            record = Wire.Encode(OutboxRecord.Codec, call);
        }
        catch (ProtoException e)
        {
            throw Failed(
                method, RpcStatus.InvalidArgument,
                "The request for " + method.FullName + " cannot be encoded: " + e.Message, e);
        }

        if (record.Length > _queue.MaxPayload)
            throw Failed(
                method, RpcStatus.ResourceExhausted,
                "A call of " + method.FullName + " takes " + record.Length + " bytes; the outbox \"" + Name +
                "\" holds calls of up to " + _queue.MaxPayload + ".");
        ObjectDisposedException.ThrowIf((_whole ?? this)._closing.IsCancellationRequested, this);
        if (!_queue.TrySend(record))
            throw Failed(
                method, RpcStatus.ResourceExhausted,
                "The outbox \"" + Name + "\" is full: " + Waiting + " calls wait. " + Trouble);
    }

    /// <summary>As <see cref="Notify"/>.</summary>
    /// <inheritdoc/>
    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Notify(method, in request);
        return default;
    }

    /// <summary>An outbox takes one-way calls only.</summary>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unimplemented"/>, always.</exception>
    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => throw Answered(method);

    /// <inheritdoc cref="Call"/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => throw Answered(method);

    /// <inheritdoc cref="Call"/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
        => throw Answered(method);

    /// <inheritdoc cref="Call"/>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => throw Answered(method);

    /// <inheritdoc cref="Call"/>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => throw Answered(method);

    /// <inheritdoc cref="Call"/>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
        => throw Answered(method);

    /// <summary>Ends it. What waits stays in the queue; what is on its way may be sent again by who opens the outbox
    /// next, marked.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_whole is not null || Interlocked.Exchange(ref _disposed, 1) != 0)
            return;
        await _closing.CancelAsync().ConfigureAwait(false);
        await _run.ConfigureAwait(false);
        for (int place = 0; place < _options.Window; place++)
            await _places.WaitAsync().ConfigureAwait(false); // until nobody holds a message any more
        _queue.Dispose();
        await _client.DisposeAsync().ConfigureAwait(false);
    }

    private async Task SendAllAsync()
    {
        while (await _queue.WaitToReceiveAsync(_closing.Token).ConfigureAwait(false))
        {
            await _places.WaitAsync(_closing.Token).ConfigureAwait(false);
            bool isSending = false;
            try
            {
                isSending = TryTake(out QueueMessage message);
                if (isSending)
                    _ = SendAndReleaseAsync(message);
            }
            catch (CorruptRegionException e) // that message has been passed over
            {
                Drop(string.Empty, string.Empty, e.Message);
                await Task.Delay(_options.Broker.FirstPause, _closing.Token).ConfigureAwait(false);
            }
            finally
            {
                if (!isSending)
                    _places.Release();
            }
        }
    }

    private bool TryTake(out QueueMessage message)
    {
        lock (_taking)
        {
            bool taken = _queue.TryReceive(out message);
            if (taken)
                _inHand++;
            return taken;
        }
    }

    private async Task SendAndReleaseAsync(QueueMessage message)
    {
        try
        {
            await SendAsync(OutboxRecordOf(message), message.Redelivered).ConfigureAwait(false);
            message.Release();
            _trouble = null;
        }
        catch (OperationCanceledException)
        {
            // the end: it comes again, marked
        }
        finally
        {
            lock (_taking)
                _inHand--;
            _places.Release();
        }
    }

    /// <summary>One that is none is dropped: it would be in the way of all others for ever.</summary>
    private OutboxRecord? OutboxRecordOf(QueueMessage message)
    {
        try
        {
            return OutboxRecord.Decode(message.Payload);
        }
        catch (ProtoException e)
        {
            Drop(string.Empty, string.Empty, e.Message);
            return null;
        }
    }

    /// <summary>It ends when it has been sent, or never can be; and with this end.</summary>
    private async Task SendAsync(OutboxRecord? record, bool mayBeSent)
    {
        while (record is not null)
        {
            try
            {
                await _client.Caller.ResendAsync(
                    record.ToOutgoing(), mayBeSent, trouble => _trouble = trouble, _closing.Token)
                    .ConfigureAwait(false);
                Interlocked.Increment(ref _sent);
                return;
            }
            catch (RpcCallException e)
            {
                Drop(record.Id, record.Service + "/" + record.Method, e.Message);
                return;
            }
#pragma warning disable CA1031 // whatever it is: the call is still there
            catch (Exception e) when (!_closing.IsCancellationRequested)
#pragma warning restore CA1031
            {
                (mayBeSent, _trouble) = (true, e.Message);
            }

            await Task.Delay(_again, _closing.Token).ConfigureAwait(false);
        }
    }

    private void Drop(string id, string method, string reason)
    {
        try
        {
            if (_options.Dropped is { } dropped)
                dropped(new RabbitMqDeadLetter(id, method, reason));
            else
                Trace.TraceError("Ipc.Rpc.RabbitMq: the outbox \"" + Name + "\" has dropped " + method + ": " + reason);
        }
#pragma warning disable CA1031 // the user's own
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("Ipc.Rpc.RabbitMq: who is told of dropped calls failed", null, e);
        }
    }

    private RpcCallException Answered(RpcMethod method) => Failed(
        method, RpcStatus.Unimplemented,
        "An outbox takes one-way calls only; " + method.FullName + " has an answer.");

    private RpcCallException Failed(RpcMethod method, RpcStatus status, string text, Exception? inner = null) =>
        RpcCallException.OfTransport(status, text, method, "the outbox \"" + Name + "\"", isUnsent: true, inner: inner);
}
