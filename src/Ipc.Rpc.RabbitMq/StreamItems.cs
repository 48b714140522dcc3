using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A stream that can be asked for: each enumeration is a call of its own, made when its first item is asked
/// for.</summary>
/// <param name="caller">Makes the calls.</param>
/// <param name="method">What is called.</param>
/// <param name="isIdempotent">Whether it may be called again.</param>
/// <param name="request">Its request.</param>
/// <param name="codec">Reads the items.</param>
/// <param name="send">Begins to send the caller's own stream; <see langword="null"/> when there is none.</param>
/// <param name="tokens">End all enumerations.</param>
internal sealed class StreamItems<TItem>(
    RabbitMqCaller caller,
    RpcMethod method,
    bool isIdempotent,
    byte[] request,
    MessageCodec<TItem> codec,
    Action<ClientLink, StreamCall>? send,
    CancellationToken[] tokens) : IAsyncEnumerable<TItem>
{
    private readonly RabbitMqCaller _caller = caller;
    private readonly RpcMethod _method = method;
    private readonly MessageCodec<TItem> _codec = codec;
    private readonly Action<ClientLink, StreamCall>? _send = send;
    private readonly CancellationToken[] _tokens = tokens;

    public IAsyncEnumerator<TItem> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        => new Enumerator(this, cancellationToken);

    private Task<(ClientLink Link, StreamCall Stream)> OpenAsync(CancellationToken[] all, RequestSpan? span)
        => _caller.OpenAsync(_method, isIdempotent, request, all, span);

    /// <summary>One enumeration. It may be disposed while an item is waited for, as over shared memory; an iterator
    /// throws then.</summary>
#pragma warning disable CA1001 // it is disposable; what ends a wait has neither a timer nor a handle
    private sealed class Enumerator(StreamItems<TItem> all, CancellationToken ofConsumer) : IAsyncEnumerator<TItem>
#pragma warning restore CA1001
    {
        private readonly object _gate = new();
        private readonly CancellationTokenSource _ending = new(); // while there is no call yet
        private readonly CancellationToken[] _tokens = [ofConsumer, .. all._tokens];
        private CancellationTokenSource? _stop;
        private CancellationToken _stopped;
        private (ClientLink Link, StreamCall Stream)? _call;
        private RequestSpan? _span; // until it has ended
        private int _moving;
        private bool _begun;
        private bool _over; // it has ended well, or does not begin
        private bool _told;
        private bool _isDisposed;

        public TItem Current { get; private set; } = default!;

        public ValueTask<bool> MoveNextAsync()
            => Interlocked.Exchange(ref _moving, 1) == 0
                ? MoveAsync()
                : throw new InvalidOperationException("The previous MoveNextAsync has not completed.");

        public ValueTask DisposeAsync()
        {
            (ClientLink Link, StreamCall Stream)? call;
            lock (_gate)
            {
                if (_isDisposed)
                    return default;
                _isDisposed = true;
                _over |= !_begun;
                call = _call;
            }

            try
            {
                EndSpan(null); // first: what is waited for fails with what comes now
            }
            finally
            {
                // neither runs what comes after a wait here
                if (call is not { } begun)
                {
                    _ = _ending.CancelAsync();
                }
                else
                {
                    begun.Link.Close(begun.Stream);
                    _stop!.Dispose();
                }
            }

            return default;
        }

        private async ValueTask<bool> MoveAsync()
        {
            try
            {
                if (_over)
                    return false;
                (ClientLink link, StreamCall stream) = _call ?? await BeginAsync().ConfigureAwait(false);
                if (_isDisposed)
                    throw Left();
                if (await NextAsync(link, stream).ConfigureAwait(false) is { } item)
                {
                    Current = all._caller.Decode(all._method, all._codec, item);
                    return true;
                }

                _over = true;
                link.Close(stream); // not only when it is disposed: some forget that once it has ended
                Tell(stream);
                EndSpan(null);
                return false;
            }
            catch (Exception e)
            {
                EndSpan(e);
                throw;
            }
            finally
            {
                Volatile.Write(ref _moving, 0);
            }
        }

        private async Task<(ClientLink Link, StreamCall Stream)> BeginAsync()
        {
            foreach (CancellationToken token in _tokens)
                token.ThrowIfCancellationRequested();
            lock (_gate)
            {
                if (_isDisposed)
                    throw Left();
                _begun = true;
            }

            CancellationTokenSource stop = all._caller.StopOfStream(_tokens);
            (ClientLink Link, StreamCall Stream) call;
            try
            {
                RequestSpan? span = all._caller.SpanOf(all._method);
                Volatile.Write(ref _span, span);
                call = await all.OpenAsync([.. _tokens, _ending.Token], span).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                _over = true;
                stop.Dispose();
                if (e is OperationCanceledException && _ending.IsCancellationRequested &&
                    !Array.Exists(_tokens, static token => token.IsCancellationRequested))
                    throw Left();
                throw;
            }

            bool isDisposed;
            lock (_gate)
            {
                isDisposed = _isDisposed;
                if (!isDisposed)
                    (_call, _stop, _stopped) = (call, stop, stop.Token);
            }

            if (!isDisposed)
            {
                all._send?.Invoke(call.Link, call.Stream);
                // its consumer may be anywhere when a token fires or the deadline passes: the server is told even so
                _stopped.UnsafeRegister(
                    static state => ThreadPool.UnsafeQueueUserWorkItem(
                        static stopped => stopped.Stop(), (Enumerator)state!, preferLocal: false),
                    this);
                return call;
            }

            call.Link.Close(call.Stream);
            stop.Dispose();
            throw Left();
        }

        /// <summary>What a wait ends with when the enumerator was disposed. That is no failure of the call's: its span
        /// ends without one, also where it had not begun when that happened.</summary>
        private RpcCallException Left()
        {
            EndSpan(null);
            return all._caller.Cancelled(all._method);
        }

        private async ValueTask<byte[]?> NextAsync(ClientLink link, StreamCall stream)
        {
            try
            {
                return await link.NextAsync(stream, _stopped).ConfigureAwait(false);
            }
            catch (OperationCanceledException e) when (_stopped.IsCancellationRequested && e != stream.OfSource)
            {
                throw all._caller.Stopped(all._method, e, _tokens);
            }
            catch (RpcCallException e) when (e != stream.OfSource)
            {
                link.Close(stream);
                Tell(stream);
                throw all._caller.Whole(e, all._method, mayBeSent: true);
            }
        }

        private void Stop()
        {
            (ClientLink link, StreamCall stream) = _call!.Value;
            try
            {
                if (Volatile.Read(ref _span) is not null)
                    EndSpan(all._caller.Stopped(all._method, new OperationCanceledException(_stopped), _tokens));
            }
            finally
            {
                link.Close(stream);
            }
        }

        /// <summary>Once, by whoever comes first.</summary>
        private void EndSpan(Exception? failure)
        {
            if (Interlocked.Exchange(ref _span, null) is not { } span)
                return;
            if (failure is not null)
                span.Failed(failure);
            span.Dispose();
        }

        private void Tell(StreamCall stream)
        {
            if (_told)
                return;
            _told = true;
            all._caller.Tell(stream);
        }
    }
}
