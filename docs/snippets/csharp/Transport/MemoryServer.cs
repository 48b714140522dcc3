using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

/// <summary>The side of the handlers: an RpcServer within this process has them, and messages become calls to it.</summary>
internal sealed class MemoryServer : IAsyncDisposable
{
    public const string Id = "memory-id", Again = "memory-again"; // the marks, in the metadata

    private static readonly ActivitySource _source = new("Snippets.Memory");

    private readonly ConcurrentDictionary<Task, bool> _underWay = new();
    private readonly CancellationTokenSource _stopping = new();
    private readonly MemoryQueue _queue;
    private readonly RpcServer _server;
    private readonly RpcClient _handlers;
    private readonly Task _taking;

    // snippet: start
    public MemoryServer(MemoryQueue queue, params RpcService[] services)
    {
        string name = "memory-" + Guid.NewGuid().ToString("N"); // nobody else knows it
        _queue = queue;
        _server = RpcServer.Start(name, services); // threads, limits, interceptors, telemetry: its options
        _handlers = RpcClient.Connect(name);
        _taking = Task.Run(TakeAsync); // not on this thread, which may be that of a window
    }
    // end-snippet

    private async Task TakeAsync()
    {
        try
        {
            await foreach (Message message in _queue.TakeAsync(_stopping.Token).ConfigureAwait(false)) // over a network: as many at once as its prefetch
            {
                Task handling = HandleAsync(message);
                _underWay[handling] = true;
                _ = handling.ContinueWith(done => _underWay.TryRemove(done, out _), TaskScheduler.Default);
            }
        }
        catch (OperationCanceledException)
        {
            // stopped
        }
    }

    // snippet: handle
    private async Task HandleAsync(Message message)
    {
        if (message.IsRepeated && message.Kind != RpcMethodKind.Unary)
            return; // who got it first has the streams: of two handlers, each would take a part of what comes

        CancellationTokenSource cancelled = new(); // the handler's token
        CancellationTokenRegistration stopped = _stopping.Token.Register(cancelled.Cancel);
        message.Cancelled.Token.Register(cancelled.Cancel); // at once, if the word came before this
        _ = ActivityContext.TryParse(message.TraceParent, message.TraceState, isRemote: true, out ActivityContext caller);
        Activity? span = null;
        RpcMetadata? answered = null;
        Answer answer;
        try
        {
            span = _source.StartActivity(message.Service + "/" + message.Method, message.IsOneWay ? ActivityKind.Consumer : ActivityKind.Server, caller); // listeners may throw
            byte[] body = await CallAsync(message, ViewFor(message).WithAnswer(metadata => answered = metadata), cancelled.Token).ConfigureAwait(false);
            answer = new Answer(RpcStatus.Ok, body, answered);
        }
        catch (Exception e) when (_stopping.IsCancellationRequested && e is OperationCanceledException or RpcCallException { Status: RpcStatus.Unavailable, RemoteType: null })
        {
            if (message.Kind == RpcMethodKind.Unary)
            {
                _queue.GiveBack(message); // not acknowledged: another server gets it, marked
                span?.Dispose();
                return;
            }

            answer = new Answer(RpcStatus.Unavailable, [], answered, e.Message); // how far a stream came is not known: it is not begun again
        }
        catch (RpcCallException e) // what the handler threw, or why it was not called
        {
            answer = new Answer(e.Status, [], answered, e.Message, e.RemoteType, e.Details);
        }
        catch (OperationCanceledException)
        {
            answer = new Answer(RpcStatus.Cancelled, [], answered, "The call was cancelled.");
        }
        catch (Exception e) // the transport has failed, not the handler; the caller waits for an answer all the same
        {
            answer = new Answer(RpcStatus.Internal, [], answered, e.Message);
        }
        finally
        {
            stopped.Unregister(); // Dispose would wait for what may be waiting for this
        }

        if (answer.Status != RpcStatus.Ok)
            span?.SetStatus(ActivityStatusCode.Error, answer.Text).SetTag("error.type", answer.Status.ToString());
        message.Reply.TrySetResult(answer); // and then it is acknowledged
        message.ToClient.Writer.TryComplete();
        span?.Dispose();
    }

    private RpcClient ViewFor(Message message)
    {
        RpcMetadata metadata = new();
        foreach ((string key, ReadOnlyMemory<byte> value) in message.Metadata)
        {
            if (key is not (Id or Again)) // the transport's own: no caller sends them
                metadata.Add(key, value);
        }

        metadata.Add(Id, message.Id);
        if (message.IsRepeated)
            metadata.Add(Again, "1");
        return _handlers.With(metadata).WithDeadline(message.Until);
    }
    // end-snippet

    // snippet: call
    private static async Task<byte[]> CallAsync(Message message, RpcClient handlers, CancellationToken cancellationToken)
    {
        IAsyncEnumerable<byte[]> sent = message.ToServer.Reader.ReadAllAsync(cancellationToken);
        switch (message.Kind)
        {
            case RpcMethodKind.Unary: // one-way calls, too: with an answer it is known when they have ended
                return await handlers.CallAsync(Method(message), message.Body, cancellationToken).ConfigureAwait(false);
            case RpcMethodKind.ClientStream:
                return await handlers.ClientStream(Sending(message), message.Body, sent, cancellationToken).ConfigureAwait(false);
            case RpcMethodKind.ServerStream:
                return await SendAsync(message, handlers.Stream(Method(message), message.Body, cancellationToken), cancellationToken).ConfigureAwait(false);
            default:
                return await SendAsync(message, handlers.Duplex(Sending(message), message.Body, sent, cancellationToken), cancellationToken).ConfigureAwait(false);
        }
    }

    private static async Task<byte[]> SendAsync(Message message, IAsyncEnumerable<byte[]> items, CancellationToken cancellationToken)
    {
        await foreach (byte[] item in items.ConfigureAwait(false))
            await message.ToClient.Writer.WriteAsync(item, cancellationToken).ConfigureAwait(false); // waits for its consumer, and so does the handler
        return [];
    }

    private static RpcMethod<byte[], byte[]> Method(Message message)
        => new(message.Service, message.Method, message.Kind, Payload.Raw, Payload.Raw);

    private static RpcStreamMethod<byte[], byte[], byte[]> Sending(Message message)
        => new(message.Service, message.Method, message.Kind, Payload.Raw, Payload.Raw, Payload.Raw);
    // end-snippet

    // snippet: stop
    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _taking.ConfigureAwait(false);
        await Task.WhenAll(_underWay.Keys).ConfigureAwait(false); // given back by now, or answered
        _handlers.Dispose();
        await _server.DisposeAsync().ConfigureAwait(false);
        _stopping.Dispose();
    }
    // end-snippet
}
