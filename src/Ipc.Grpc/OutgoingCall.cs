using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>One call over gRPC: what an Ipc caller says beside its messages, said to a gRPC server, and back.</summary>
/// <remarks>Disposing it ends the stream of its caller, if that is still under way, and waits for nothing.</remarks>
internal sealed class OutgoingCall : IDisposable
{
    private static readonly TimeSpan _moment = TimeSpan.FromSeconds(1);

    private readonly CallTerms _terms;
    private readonly CancellationToken _ofCall;
    private readonly CancellationToken _ofConsumer;
    private readonly CancellationToken _ofHandler;
    private readonly CancellationTokenSource _stop;
    private readonly object _gate = new();
    private Task _writing = Task.CompletedTask; // the last item
    private ExceptionDispatchInfo? _own;
    private bool _isOver;

    /// <param name="terms">What its caller's calls have in common.</param>
    /// <param name="ofCall">The token that the method was called with.</param>
    /// <param name="ofConsumer">That of who enumerates the answer.</param>
    public OutgoingCall(CallTerms terms, CancellationToken ofCall, CancellationToken ofConsumer)
    {
        _terms = terms;
        _ofCall = ofCall;
        _ofConsumer = ofConsumer;
        _ofHandler = RpcContext.Current?.Cancellation ?? default;
        _stop = CancellationTokenSource.CreateLinkedTokenSource(ofCall, ofConsumer, _ofHandler);
        Token = _stop.Token;
    }

    /// <summary>Fires when one of them does, when the call has ended, when its caller's stream has failed.</summary>
    private CancellationToken Token { get; }

    /// <summary>Deadline, headers and token.</summary>
    /// <param name="hasTimeout">Whether the timeout of calls applies.</param>
    /// <param name="parameters">Those beside the caller's stream.</param>
    public CallOptions Options(bool hasTimeout = false, Payload? parameters = null)
    {
        Metadata headers = [.. _terms.Headers ?? []];
        if (parameters is not null && !parameters.Span.IsEmpty)
            headers.Add(GatewayCall.RequestKey, parameters.Span.ToArray());
        Deadline until = Deadline.Earlier(_terms.Until, RpcDeadline.Current);
        if (hasTimeout && _terms.Timeout != Timeout.InfiniteTimeSpan)
            until = Deadline.Earlier(until, Deadline.After(_terms.Timeout));
        return new CallOptions(headers, MomentOf(until), Token);
    }

    /// <summary>Sends the caller's stream. Throws nothing: a failure of the stream ends the call.</summary>
    public async Task SendAsync<T>(IClientStreamWriter<Payload> to, IAsyncEnumerable<T> items, MessageCodec<T> codec)
    {
        IAsyncEnumerator<T>? source = null;
        try
        {
            source = items.GetAsyncEnumerator(Token);
            while (await source.MoveNextAsync().ConfigureAwait(false))
            {
                using Payload item = Payload.Of(codec, source.Current);
                if (await TrySendAsync(() => to.WriteAsync(item)).ConfigureAwait(false))
                    continue;
                if (item.Refusal is { } refusal)
                    End(CallStatus.Of(refusal)); // the call goes on, and its server would wait for the item
                return;
            }

            await TrySendAsync(to.CompleteAsync).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (Token.IsCancellationRequested)
        {
            // the call has ended, and the source was told
        }
#pragma warning disable CA1031 // its caller gets it
        catch (Exception e)
#pragma warning restore CA1031
        {
            End(e);
        }
        finally
        {
            if (source is not null)
                await DisposeAsync(source).ConfigureAwait(false);
        }
    }

    /// <summary>Tells who wants to know the metadata of the answer.</summary>
    public void Tell(Metadata trailers)
    {
        if (_terms.Answer is { } answer)
            answer(CallMetadata.OfAnswer(trailers));
    }

    /// <summary>What gRPC answers; a failure as the caller is told it.</summary>
    /// <param name="answer">An answer.</param>
    /// <param name="status">How the call ended.</param>
    public async Task<T> Of<T>(Task<T> answer, Func<Status> status)
    {
        try
        {
            return await answer.ConfigureAwait(false);
        }
        catch (RpcException e)
        {
            throw Failure(e);
        }
        catch (OperationCanceledException)
        {
            throw Failure(new RpcException(status())); // of a channel with ThrowOperationCanceledOnCancellation
        }
    }

    private Exception Failure(RpcException failure)
    {
        lock (_gate)
            _own?.Throw();
        foreach (CancellationToken token in new[] { _ofCall, _ofConsumer, _ofHandler })
        {
            if (token.IsCancellationRequested && failure.StatusCode == StatusCode.Cancelled)
                return new OperationCanceledException(failure.Status.Detail, failure, token);
        }

        if (failure.Trailers.Count > 0)
            Tell(failure.Trailers);
        return CallStatus.Of(failure);
    }

    public void Dispose()
    {
        lock (_gate)
            _isOver = true;
        Cancel();
        _stop.Dispose();
    }

    private static DateTime? MomentOf(Deadline until)
    {
        if (until == Deadline.Never)
            return null;
        DateTime now = DateTime.UtcNow;
        TimeSpan left = until.Remaining;
        return left < DateTime.MaxValue - now ? now + left : null;
    }

    /// <summary>The server has answered, and takes no more of its caller's stream: no further item is sent, and what is
    /// being sent is waited for, for a moment. Once the whole connection was seen to end behind such a call
    /// (STREAM_CLOSED, as for an item behind the end of its stream), with the next call on it.</summary>
    public async Task EndSendingAsync()
    {
        Task writing;
        lock (_gate)
            (_isOver, writing) = (true, _writing);
        if (!writing.IsCompleted)
            await Task.WhenAny(writing, Task.Delay(_moment, CancellationToken.None)).ConfigureAwait(false);
    }

    /// <returns>Whether the server takes more: if not, its answer says why.</returns>
    private async Task<bool> TrySendAsync(Func<Task> send)
    {
        try
        {
            Task sending;
            lock (_gate)
            {
                if (_isOver)
                    return false;
                sending = _writing = send();
            }

            await sending.ConfigureAwait(false);
            return true;
        }
#pragma warning disable CA1031 // of gRPC or HTTP, whatever they throw: nothing of the caller's runs here
        catch (Exception)
#pragma warning restore CA1031
        {
            return false;
        }
    }

    private async Task DisposeAsync(IAsyncDisposable source)
    {
        try
        {
            await source.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // its caller gets it, if the call is not over
        catch (Exception e)
#pragma warning restore CA1031
        {
            End(e);
        }
    }

    /// <summary>The caller's own code threw: its caller gets that, and the server sees a cancellation.</summary>
    private void End(Exception own)
    {
        lock (_gate)
        {
            if (_isOver)
                return;
            _own ??= ExceptionDispatchInfo.Capture(own);
        }

        Cancel();
    }

    private void Cancel()
    {
        try
        {
            _stop.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // the call ended first
        }
        catch (AggregateException)
        {
            // a registration of the source threw; the call is over, and nobody is left to be told
        }
    }
}
