using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>Calls a contract over gRPC: that of a gateway on another machine, or of any gRPC service with the same
/// <c>.proto</c>. Generated proxies use it as they use an <see cref="RpcClient"/>.</summary>
/// <remarks>
/// <para>Any number of threads may use it at once. A synchronous call holds its thread until the answer is there. Every
/// call ends as over Ipc: with a response, an <see cref="RpcCallException"/> or the cancellation of its token. A call
/// that is made in a handler has the handler's deadline and ends with it.</para>
/// <para>What gRPC does not have: reports of progress do not come, and one-way methods return when the server has
/// answered. The type of an exception that a handler threw is not in <see cref="RpcCallException.RemoteType"/> but
/// among the trailers of the inner exception, which is gRPC's.</para>
/// </remarks>
/// <example><code>
/// using GrpcChannel channel = GrpcChannel.ForAddress("https://gateway.example");
/// IQuotes quotes = GrpcCaller.Of&lt;IQuotes&gt;(channel.CreateCallInvoker()).For&lt;IQuotes&gt;();
/// </code></example>
public sealed class GrpcCaller : RpcCaller
{
    private readonly CallInvoker _invoker;
    private readonly GatewayContract _contract;
    private readonly CallTerms _terms;

    private GrpcCaller(CallInvoker invoker, GatewayContract contract, CallTerms terms)
    {
        _invoker = invoker;
        _contract = contract;
        _terms = terms;
    }

    /// <summary>Calls a contract.</summary>
    /// <typeparam name="TContract">The contract, which has registered itself (<see cref="RpcContracts"/>).</typeparam>
    /// <param name="invoker">Of a channel, which stays the caller's: <c>channel.CreateCallInvoker()</c>.</param>
    /// <exception cref="InvalidOperationException">The contract is not registered; the text says what to
    /// do.</exception>
    public static GrpcCaller Of<TContract>(CallInvoker invoker)
        where TContract : class
        => Of(invoker, RpcContracts.Proto<TContract>());

    /// <summary>Calls a contract by its <c>.proto</c>, which has the name of the gRPC service.</summary>
    /// <param name="invoker">Of a channel, which stays the caller's: <c>channel.CreateCallInvoker()</c>.</param>
    /// <param name="proto">The text of the file, as <c>QuotesRpc.Proto</c>.</param>
    /// <exception cref="ArgumentException">The text is not the .proto of one contract.</exception>
    public static GrpcCaller Of(CallInvoker invoker, string proto)
    {
        ArgumentNullException.ThrowIfNull(invoker);
        return new GrpcCaller(invoker, GatewayContract.Parse(proto), new CallTerms());
    }

    /// <summary>A proxy of the contract, as <see cref="RpcClient.For{TContract}"/> makes one.</summary>
    /// <exception cref="InvalidOperationException">The contract is not registered; the text says what to
    /// do.</exception>
    public TContract For<TContract>()
        where TContract : class
        => RpcContracts.Client<TContract>(this);

    /// <summary>The same with a timeout for calls that are not answered by a stream.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is negative, and not
    /// <see cref="System.Threading.Timeout.InfiniteTimeSpan"/>.</exception>
    public GrpcCaller WithTimeout(TimeSpan timeout)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw new ArgumentOutOfRangeException(
                nameof(timeout), timeout, "A timeout cannot be negative; Timeout.InfiniteTimeSpan is none.");
        return new GrpcCaller(_invoker, _contract, _terms with { Timeout = timeout });
    }

    /// <summary>The same with a moment at which calls and streams end at the latest, with
    /// <see cref="RpcStatus.DeadlineExceeded"/>.</summary>
    public GrpcCaller WithDeadline(Deadline until) => new(_invoker, _contract, _terms with { Until = until });

    /// <summary>The same with this metadata for its requests, as headers, instead of any earlier one. A value that is
    /// not printable ASCII gets a key with <c>-bin</c>.</summary>
    public GrpcCaller With(RpcMetadata metadata)
    {
        ArgumentNullException.ThrowIfNull(metadata);
        Metadata headers = new();
        CallMetadata.AddTo(headers, metadata);
        return new GrpcCaller(_invoker, _contract, _terms with { Headers = headers });
    }

    /// <summary>The same with somebody who is told the metadata of each answer, which are gRPC's trailers, before its
    /// caller gets the result or the error. It is not called if there was no answer.</summary>
    public GrpcCaller WithAnswer(Action<RpcMetadata> answer)
    {
        ArgumentNullException.ThrowIfNull(answer);
        return new GrpcCaller(_invoker, _contract, _terms with { Answer = answer });
    }

    /// <inheritdoc/>
    public override TResponse Call<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
        => CallAsync(method, in request, cancellationToken).AsTask().GetAwaiter().GetResult();

    /// <inheritdoc/>
    public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(
        RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        Method<Payload, Payload> path = PathOf(method, RpcMethodKind.Unary, MethodType.Unary);
        cancellationToken.ThrowIfCancellationRequested();
        return Unary(path, method, Payload.Of(method.Request, in request), cancellationToken);
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
        => Call(method, in request);

    /// <inheritdoc/>
    public override ValueTask NotifyAsync<TRequest>(
        RpcMethod<TRequest, RpcEmpty> method, in TRequest request, CancellationToken cancellationToken = default)
        => RpcEmpty.Discard(CallAsync(method, in request, cancellationToken));

    /// <inheritdoc/>
    public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(
        RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancellationToken = default)
    {
        Method<Payload, Payload> path = PathOf(method, RpcMethodKind.ServerStream, MethodType.ServerStreaming);
        return Items(
            call =>
            {
                AsyncServerStreamingCall<Payload> sent = _invoker.AsyncServerStreamingCall(
                    path, null, call.Options(), Payload.Of(method.Request, in request));
                return new Answers(sent, sent.ResponseStream, sent.GetStatus, sent.GetTrailers);
            },
            method,
            method.Response,
            cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        Method<Payload, Payload> path = PathOf(method, RpcMethodKind.ClientStream, MethodType.ClientStreaming);
        ArgumentNullException.ThrowIfNull(items);
        cancellationToken.ThrowIfCancellationRequested();
        return Upload(path, method, Payload.Of(method.Request, in request), items, cancellationToken);
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(
        RpcStreamMethod<TRequest, TIn, TOut> method,
        TRequest request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken = default)
    {
        Method<Payload, Payload> path = PathOf(method, RpcMethodKind.Duplex, MethodType.DuplexStreaming);
        ArgumentNullException.ThrowIfNull(items);
        return Items(
            call =>
            {
                using Payload parameters = Payload.Of(method.Request, in request);
                AsyncDuplexStreamingCall<Payload, Payload> sent =
                    _invoker.AsyncDuplexStreamingCall(path, null, call.Options(parameters: parameters));
                _ = call.SendAsync(sent.RequestStream, items, method.Item);
                return new Answers(sent, sent.ResponseStream, sent.GetStatus, sent.GetTrailers);
            },
            method,
            method.Response,
            cancellationToken);
    }

    private async ValueTask<TResponse> Unary<TRequest, TResponse>(
        Method<Payload, Payload> path,
        RpcMethod<TRequest, TResponse> method,
        Payload request,
        CancellationToken cancellationToken)
    {
        using OutgoingCall call = new(_terms, cancellationToken, default);
        using AsyncUnaryCall<Payload> sent =
            _invoker.AsyncUnaryCall(path, null, call.Options(hasTimeout: true), request);
        using Payload answer = await call.Of(sent.ResponseAsync, sent.GetStatus).ConfigureAwait(false);
        call.Tell(sent.GetTrailers());
        return Decode(method, method.Response, answer);
    }

    private async ValueTask<TResponse> Upload<TRequest, TIn, TResponse>(
        Method<Payload, Payload> path,
        RpcStreamMethod<TRequest, TIn, TResponse> method,
        Payload request,
        IAsyncEnumerable<TIn> items,
        CancellationToken cancellationToken)
    {
        using OutgoingCall call = new(_terms, cancellationToken, default);
        using (request)
        {
            using AsyncClientStreamingCall<Payload, Payload> sent =
                _invoker.AsyncClientStreamingCall(path, null, call.Options(hasTimeout: true, request));
            _ = call.SendAsync(sent.RequestStream, items, method.Item);
            using Payload answer = await call.Of(sent.ResponseAsync, sent.GetStatus).ConfigureAwait(false);
            await call.EndSendingAsync().ConfigureAwait(false);
            call.Tell(sent.GetTrailers());
            return Decode(method, method.Response, answer);
        }
    }

    private async IAsyncEnumerable<TItem> Items<TItem>(
        Func<OutgoingCall, Answers> send,
        RpcMethod method,
        MessageCodec<TItem> codec,
        CancellationToken ofCall,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using OutgoingCall call = new(_terms, ofCall, cancellationToken);
        Answers answers = send(call);
        using (answers.Call)
        {
            // the call has its token
            while (await call.Of(answers.Items.MoveNext(CancellationToken.None), answers.Status).ConfigureAwait(false))
            {
                using Payload item = answers.Items.Current;
                yield return Decode(method, codec, item);
            }

            await call.EndSendingAsync().ConfigureAwait(false);
            call.Tell(answers.Trailers());
        }
    }

    private static T Decode<T>(RpcMethod method, MessageCodec<T> codec, Payload answer)
    {
        try
        {
            return codec.Decode(answer.Span);
        }
        catch (ProtoException e)
        {
            throw new RpcCallException(
                RpcStatus.Internal, "The answer of " + method.FullName + " could not be decoded: " + e.Message, e);
        }
    }

    /// <exception cref="ArgumentException">It is another contract's method, or of another kind.</exception>
    private Method<Payload, Payload> PathOf(RpcMethod method, RpcMethodKind kind, MethodType type)
    {
        ArgumentNullException.ThrowIfNull(method);
        if (method.Service != _contract.Service)
            throw new ArgumentException(
                method.FullName + " is not of " + _contract.Service + ", the contract of this caller. Make one of " +
                "its own.",
                nameof(method));
        if (method.Kind != kind)
            throw new ArgumentException(
                method.FullName + " is " + method.Kind + " and cannot be called as " + kind + ".", nameof(method));
        if (method.IsOnce)
            throw new RpcCallException(
                RpcStatus.Unimplemented,
                method.FullName + " is [IpcOnce], which is not offered over gRPC: call it over Ipc, or remove the " +
                    "attribute.");
        return new Method<Payload, Payload>(
            type, _contract.FullName, method.Name, Payload.CallerMarshaller, Payload.CallerMarshaller);
    }

    /// <summary>A call that is answered by a stream.</summary>
    private readonly record struct Answers(
        IDisposable Call, IAsyncStreamReader<Payload> Items, Func<Status> Status, Func<Metadata> Trailers);
}
