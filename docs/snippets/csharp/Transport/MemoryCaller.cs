using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

/// <summary>The side of the callers: generated proxies use it as they use an RpcClient.</summary>
/// <param name="queue">Where requests go.</param>
/// <param name="metadata">What goes with them.</param>
/// <param name="timeout">How long a call takes at most; <see langword="null"/> for no limit.</param>
internal sealed class MemoryCaller(MemoryQueue queue, RpcMetadata? metadata = null, TimeSpan? timeout = null) : RpcCaller
{
    public RpcMetadata? Answered { get; private set; }

    // snippet: unary
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        if (method.IsOnce)
            throw Failed(method, RpcStatus.Unimplemented, method.FullName + " is [IpcOnce], and this transport delivers at least once.", isUnsent: true);
        Message message = MessageOf(method, Payload.Encode(method, method.Request, in request));
        return AnswerAsync(method, method.Response, message, items: null, cancellationToken);
    }

    private async ValueTask<TResponse> AnswerAsync<TResponse>(
        RpcMethod method, MessageCodec<TResponse> codec, Message message, IAsyncEnumerable<byte[]>? items, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using CancellationTokenSource stop = StopOf(message, cancellationToken);
        queue.Send(message);
        if (items is not null)
            _ = SendAsync(message, items, stop.Token);
        try
        {
            Answer answer = await Waited(method, message.Reply.Task, cancellationToken, stop.Token).ConfigureAwait(false);
            return Payload.Decode(method, codec, Checked(method, answer).Body);
        }
        finally
        {
            stop.Cancel(); // nobody reads what the client still sends
            if (!message.Reply.Task.IsCompletedSuccessfully)
                message.Cancelled.Cancel(); // the handler's token fires, if the word arrives
        }
    }
    // end-snippet

    // snippet: failures
    private async Task<T> Waited<T>(RpcMethod method, Task<T> what, CancellationToken callers, CancellationToken stop)
    {
        try
        {
            return await what.WaitAsync(stop).ConfigureAwait(false); // as each await here: the thread of a window may be waiting in Call
        }
        catch (OperationCanceledException e) when (stop.IsCancellationRequested)
        {
            callers.ThrowIfCancellationRequested(); // the caller's own token is an OperationCanceledException ...
            RpcContext.Current?.Cancellation.ThrowIfCancellationRequested();
            throw Failed(method, RpcStatus.DeadlineExceeded, "The deadline of " + method.FullName + " passed.", inner: e); // ... all else a status
        }
    }

    private Answer Checked(RpcMethod method, Answer answer)
    {
        Answered = answer.Metadata; // of failures, too
        return answer.Status == RpcStatus.Ok
            ? answer
            : throw RpcCallException.OfTransport(answer.Status, answer.Text, method, MemoryQueue.Peer, answer.RemoteType, answer.Details);
    }
    // end-snippet

    // snippet: terms
    private Message MessageOf(RpcMethod method, byte[] body) => new(Guid.NewGuid().ToString("N"), method.Service, method.Name, method.Kind, body)
    {
        Metadata = metadata ?? new RpcMetadata(),
        IsOneWay = method.IsOneWay,
        TraceParent = Activity.Current is { IdFormat: ActivityIdFormat.W3C } activity ? activity.Id : null,
        TraceState = Activity.Current?.TraceStateString,
        Until = Deadline.Earlier(RpcDeadline.Current, timeout is { } limit ? Deadline.After(limit) : Deadline.Never),
    };

    /// <summary>Fires with the caller's token, with that of the handler that makes the call, and at the deadline.</summary>
    private static CancellationTokenSource StopOf(Message message, CancellationToken cancellationToken)
    {
        CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, RpcContext.Current?.Cancellation ?? default);
        if (message.Until.Remaining is { TotalDays: < 24 } left) // what a timer takes
            stop.CancelAfter(left + TimeSpan.FromMilliseconds(20)); // timers may fire that early, and nobody is told of a deadline before it has passed
        return stop;
    }
    // end-snippet

    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => CallAsync(method, in request, cancellationToken).AsTask().GetAwaiter().GetResult();

    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method, in TRequest request, IProgress<TProgress> progress, CancellationToken cancellationToken = default)
        => CallAsync(method.Unary, in request, cancellationToken); // reports of progress may get lost: here all of them do

    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
        => queue.Send(MessageOf(method, Payload.Encode(method, method.Request, in request))); // over a network: until it is confirmed

    // snippet: streams
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
        => Items(method, method.Response, Payload.Encode(method, method.Request, in request), null, cancellationToken);

    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancellationToken = default)
        => Items(method, method.Response, Payload.Encode(method, method.Request, in request), Encoded(method, method.Item, items, cancellationToken), cancellationToken);

    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancellationToken = default)
        => AnswerAsync(
            method, method.Response, MessageOf(method, Payload.Encode(method, method.Request, in request)), Encoded(method, method.Item, items, cancellationToken), cancellationToken);

    private async IAsyncEnumerable<TOut> Items<TOut>(
        RpcMethod method, MessageCodec<TOut> codec, byte[] request, IAsyncEnumerable<byte[]>? items, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Message message = MessageOf(method, request);
        using CancellationTokenSource stop = StopOf(message, cancellationToken);
        queue.Send(message); // with the first item that somebody wants
        if (items is not null)
            _ = SendAsync(message, items, stop.Token);
        try
        {
            while (await Waited(method, message.ToClient.Reader.WaitToReadAsync(stop.Token).AsTask(), cancellationToken, stop.Token).ConfigureAwait(false))
            {
                while (message.ToClient.Reader.TryRead(out byte[]? item))
                    yield return Payload.Decode(method, codec, item);
            }

            Checked(method, await Waited(method, message.Reply.Task, cancellationToken, stop.Token).ConfigureAwait(false)); // a failure comes behind the items
        }
        finally
        {
            stop.Cancel();
            if (!message.Reply.Task.IsCompletedSuccessfully)
                message.Cancelled.Cancel(); // the consumer has enough
        }
    }

    /// <summary>Ends what the client sends, or the call: a stream that breaks off is no end, and its handler is cancelled.</summary>
    private async Task SendAsync(Message message, IAsyncEnumerable<byte[]> items, CancellationToken stop)
    {
        try
        {
            await foreach (byte[] item in items.WithCancellation(stop).ConfigureAwait(false))
                await message.ToServer.Writer.WriteAsync(item, stop).ConfigureAwait(false);
            message.ToServer.Writer.TryComplete();
        }
        catch (Exception) when (stop.IsCancellationRequested)
        {
            // the call has ended
        }
        catch (Exception e)
        {
            message.Reply.TrySetException(e); // the call throws what the stream threw
            message.ToClient.Writer.TryComplete();
        }
    }
    // end-snippet

    private static async IAsyncEnumerable<byte[]> Encoded<T>(
        RpcMethod method, MessageCodec<T> codec, IAsyncEnumerable<T> items, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (T item in items.WithCancellation(cancellationToken).ConfigureAwait(false))
            yield return Payload.Encode(method, codec, in item);
    }

    private static RpcCallException Failed(RpcMethod method, RpcStatus status, string text, bool isUnsent = false, Exception? inner = null)
        => RpcCallException.OfTransport(status, text, method, MemoryQueue.Peer, isUnsent: isUnsent, inner: inner);
}
