using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Calls a service over a broker. Generated proxies use it as they use an <see cref="RpcClient"/>.</summary>
/// <remarks>
/// <para>Any number of threads may use it at once. A synchronous call holds its thread until the answer is there. Every
/// call ends as over shared memory: with a response, an <see cref="RpcCallException"/> or the cancellation of its
/// token. A call that is made in a handler has the handler's deadline and ends with it.</para>
/// <para>A request is delivered at least once: when its server or the connection goes before the request was
/// acknowledged, the broker gives it to another server, marked (<see cref="RabbitMqMarks"/>). One-way methods return
/// when the broker has confirmed that it has the message. The handler's deadline is what was left when the request was
/// sent, counted from its delivery. A cancellation is sent to the servers and may get lost.</para>
/// <para>What it does not have: methods with <see cref="IpcOnceAttribute"/>, which fail with
/// <see cref="RpcStatus.Unimplemented"/>. Reports of progress do not come.</para>
/// </remarks>
public sealed partial class RabbitMqCaller : RpcCaller
{
    private static readonly TimeSpan _longestLook = TimeSpan.FromSeconds(1);

    private readonly Recovery<ClientLink> _recovery;
    private readonly RabbitMqAddress _address;
    private readonly RabbitMqClientOptions _options;
    private readonly CallTerms _terms;
    private readonly StrongBox<int> _underWay; // [count] calls of all views of the client, those that wait among them

    internal RabbitMqCaller(
        Recovery<ClientLink> recovery,
        RabbitMqAddress address,
        RabbitMqClientOptions options,
        CallTerms terms,
        StrongBox<int>? underWay = null)
    {
        _underWay = underWay ?? new StrongBox<int>();
        _recovery = recovery;
        _address = address;
        _options = options;
        _terms = terms;
    }

    /// <summary>A proxy of the contract, as <see cref="RpcClient.For{TContract}"/> makes one.</summary>
    /// <exception cref="InvalidOperationException">The contract is not registered; the text says what to
    /// do.</exception>
    public TContract For<TContract>()
        where TContract : class
        => RpcContracts.Client<TContract>(this);

    /// <summary>The same with another timeout for calls that are not answered by a stream.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative, and not
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/>.</exception>
    public RabbitMqCaller WithTimeout(TimeSpan timeout)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        return With(_terms with { Timeout = timeout });
    }

    /// <summary>The same with a moment at which calls end at the latest, with
    /// <see cref="RpcStatus.DeadlineExceeded"/>.</summary>
    public RabbitMqCaller WithDeadline(Deadline until) => With(_terms with { Until = until });

    /// <summary>The same with this metadata for its requests, as headers <c>ipc-m-KEY</c>, instead of any earlier one.
    /// It is copied. The order of different keys is not kept.</summary>
    public RabbitMqCaller With(RpcMetadata metadata)
    {
        ArgumentNullException.ThrowIfNull(metadata);
        RpcMetadata copy = new();
        foreach ((string key, ReadOnlyMemory<byte> value) in metadata)
            copy.Add(key, value.ToArray());
        return With(_terms with { Metadata = copy });
    }

    /// <summary>The same with somebody who is told the metadata of each answer, before its caller gets the result or
    /// the error. It is not called if there was no answer. What it throws is what the call fails with; nothing is tried
    /// again for it.</summary>
    public RabbitMqCaller WithAnswer(Action<RpcMetadata> answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return With(_terms with { Answer = answer });
    }

    /// <inheritdoc/>
    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => CallAsync(method, in request, cancellationToken).AsTask().GetAwaiter().GetResult();

    /// <inheritdoc/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        Check(method, RpcMethodKind.Unary);
        if (method.IsOnce)
            throw Failed(
                method,
                RpcStatus.Unimplemented,
                method.FullName + " is [IpcOnce], which is not offered over a broker: what it delivers again would " +
                "be executed again. Call it over shared memory or TCP, or remove the attribute.",
                isUnsent: true);
        cancellationToken.ThrowIfCancellationRequested();
        return Unary(method, Encode(method, method.Request, in request), cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(
        RpcProgressMethod<TRequest, TResponse, TProgress> method,
        in TRequest request,
        IProgress<TProgress> progress,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(method);
        ArgumentNullException.ThrowIfNull(progress);
        return CallAsync(method.Unary, in request, cancellationToken);
    }

    /// <inheritdoc/>
    public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request)
        => NotifyAsync(method, in request).AsTask().GetAwaiter().GetResult();

    /// <summary>Calls a one-way method. It completes when the broker has confirmed that it has the message, on disk
    /// with the default queues.</summary>
    /// <exception cref="RpcCallException"><see cref="RpcStatus.Unavailable"/>: the broker has not confirmed it; if it
    /// is <see cref="RpcCallException.IsUnsent"/>, it certainly has it not.</exception>
    /// <inheritdoc/>
    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(method);
        cancellationToken.ThrowIfCancellationRequested();
        return OneWay(method, Encode(method, method.Request, in request), cancellationToken);
    }

    private RabbitMqCaller With(CallTerms terms) => new(_recovery, _address, _options, terms, _underWay);

    private async ValueTask OneWay<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, byte[] request, CancellationToken cancellationToken)
    {
        using RequestSpan? span = RequestSpan.Sending(method, _address, isOneWay: true);
        try
        {
            await Attempts(
                method,
                method.IsIdempotent,
                request,
                async (link, outgoing, attempt, until, stop) =>
                {
                    await link.NotifyAsync(outgoing, attempt, until, stop).ConfigureAwait(false);
                    return true;
                },
                _terms.Timeout,
                [cancellationToken, OfHandler],
                span).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            span?.Failed(e);
            throw;
        }
    }

    private async ValueTask<TResponse> Unary<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, byte[] request, CancellationToken cancellationToken)
    {
        using RequestSpan? span = RequestSpan.Sending(method, _address, isOneWay: false);
        try
        {
            Answer answer = await Attempts(
                method,
                method.IsIdempotent,
                request,
                async (link, outgoing, attempt, until, stop) =>
                {
                    Answer got = await link.CallAsync(outgoing, attempt, until, stop).ConfigureAwait(false);
                    return got.FailureOf(method, _address.Peer) is not { } failure
                        ? got
                        : throw Told(got, failure);
                },
                _terms.Timeout,
                [cancellationToken, OfHandler],
                span).ConfigureAwait(false);
            _terms.Answer?.Invoke(Wire.MetadataOf(answer.Headers));
            return Decode(method, method.Response, answer.Body);
        }
        catch (Exception e)
        {
            span?.Failed(e);
            throw;
        }
    }

    /// <exception cref="RpcCallException">It is no such message.</exception>
    internal TResponse Decode<TResponse>(RpcMethod method, MessageCodec<TResponse> codec, byte[] body)
    {
        try
        {
            return codec.Decode(body);
        }
        catch (ProtoException e)
        {
            throw Failed(
                method, RpcStatus.Internal,
                "The answer of " + method.FullName + " could not be decoded: " + ErrorText.Of(e), inner: e);
        }
    }

    private RpcCallException Told(Answer answer, RpcCallException failure)
    {
        TellWithin(answer.Headers);
        return failure;
    }

    /// <summary>Makes a call, again if the policy says so, until its deadline. As long as it waits here it is counted
    /// as under way.</summary>
    private async Task<T> Attempts<T>(
        RpcMethod method,
        bool isIdempotent,
        byte[] body,
        Func<ClientLink, Outgoing, int, Deadline, CancellationToken, Task<T>> make,
        TimeSpan timeout,
        CancellationToken[] tokens,
        RequestSpan? span)
    {
        ObjectDisposedException.ThrowIf(_recovery.Closing.IsCancellationRequested, typeof(RabbitMqClient));
        using Counted counted = Count(method);
        Outgoing request = Prepared(method, body);
        span?.Sent(request);
        Deadline until = Deadline.Earlier(_terms.Until, RpcDeadline.Current);
        if (timeout != Timeout.InfiniteTimeSpan)
            until = Deadline.Earlier(until, Deadline.After(timeout));
        using CancellationTokenSource stop = StopOf(until, tokens);
        RpcRetryPolicy? policy = _options.Retry;
        TimeSpan pause = policy?.FirstPause ?? default;
        TimeSpan untilReady = _options.FirstPause < _longestLook ? _options.FirstPause : _longestLook;
        bool mayBeSent = false;
        for (int attempt = 1; ; attempt++)
        {
            TimeSpan next = default;
            try
            {
                ClientLink link = await LinkAsync(method, stop.Token).ConfigureAwait(false);
                return await make(link, request, mayBeSent ? attempt : 1, until, stop.Token).ConfigureAwait(false);
            }
            catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable && body.Length > _options.MostToSend)
            {
                // the broker has refused it, and the connection with it
                throw TooLarge(method, body.Length, isUnsent: !mayBeSent, e);
            }
            catch (RpcCallException e) when (
                _options.WaitForReady && e is { Status: RpcStatus.Unavailable, IsUnsent: true })
            {
                attempt--; // no server had it
                next = untilReady;
                untilReady = Longer(untilReady, _longestLook);
            }
            catch (RpcCallException e) when (policy is not null && attempt < policy.Attempts
                && policy.On.Contains(e.Status) && (e.IsUnsent || isIdempotent)
                && (until == Deadline.Never || until.Remaining > pause) && !_recovery.Closing.IsCancellationRequested)
            {
                mayBeSent |= !e.IsUnsent;
                next = pause;
                pause = Longer(pause, policy.LongestPause);
            }
            catch (RpcCallException e)
            {
                throw Whole(e, method, mayBeSent);
            }
            catch (ReceiverFailedException e)
            {
                e.OfReceiver.Throw();
            }
            catch (OperationCanceledException e) when (
                stop.IsCancellationRequested || _recovery.Closing.IsCancellationRequested) // that fires this one later
            {
                throw Stopped(method, e, tokens);
            }

            try
            {
                await Task.Delay(
                    next * (0.5 + (Random.Shared.NextDouble() / 2)), stop.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException e)
            {
                throw Stopped(method, e, tokens);
            }
        }
    }

    /// <exception cref="RpcCallException">There are as many as there may be.</exception>
    private Counted Count(RpcMethod method)
    {
        if (Interlocked.Increment(ref _underWay.Value) <= _options.MaxPendingCalls)
            return new Counted(_underWay);
        Interlocked.Decrement(ref _underWay.Value);
        throw TooMany(method, _options.MaxPendingCalls, _address.Peer);
    }

    /// <summary>One of the calls under way.</summary>
    private readonly struct Counted(StrongBox<int> underWay) : IDisposable
    {
        public void Dispose() => Interlocked.Decrement(ref underWay.Value);
    }

    private static TimeSpan Longer(TimeSpan pause, TimeSpan longest)
        => pause + pause < longest ? pause + pause : longest;

    private static CancellationToken OfHandler => RpcContext.Current?.Cancellation ?? default;

    /// <summary>Fires with one of the tokens, at the client's end and at the deadline.</summary>
    private DeadlineSource StopOf(Deadline until, CancellationToken[] tokens) =>
        new(until, [.. tokens, _recovery.Closing]);

    private async Task<ClientLink> LinkAsync(RpcMethod method, CancellationToken cancellationToken)
    {
        _recovery.Closing.ThrowIfCancellationRequested(); // the call was under way
        if (_recovery.Link is { } link)
            return link;
        await _recovery.TriedAsync().WaitAsync(cancellationToken).ConfigureAwait(false); // the first call connects
        if (_recovery.Link is { } first)
            return first;
        RpcCallException missing = _recovery.Missing(method);
        if (!_options.WaitForReady || missing.Status == RpcStatus.Unauthenticated)
            throw missing;
        return await _recovery.NextAsync(cancellationToken).ConfigureAwait(false);
    }

    private Outgoing Prepared(RpcMethod method, byte[] body)
    {
        if (body.Length > _options.MostToSend)
            throw TooLarge(method, body.Length, isUnsent: true);
        Dictionary<string, object?> headers = new() { [Wire.Method] = method.FullName };
        Wire.AddMetadata(headers, _terms.Metadata);
        Wire.AddTrace(headers);
        return new Outgoing(method, Guid.NewGuid().ToString("N"), headers, body);
    }

    private byte[] Encode<TRequest>(RpcMethod method, MessageCodec<TRequest> codec, in TRequest request)
    {
        try
        {
            return Wire.Encode(codec, in request);
        }
        catch (ProtoException e)
        {
            throw Failed(
                method,
                RpcStatus.InvalidArgument,
                "The request for " + method.FullName + " cannot be encoded: " + ErrorText.Of(e),
                isUnsent: true,
                inner: e);
        }
    }
}
