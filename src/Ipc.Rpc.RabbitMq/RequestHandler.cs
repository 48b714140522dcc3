using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Answers requests by calls to a server in shared memory, whose messages are the same bytes.</summary>
/// <param name="client">The server's.</param>
/// <param name="buried">Is told of dead letters.</param>
/// <param name="filter">What may be called, where the server is another program's; <see langword="null"/> where it is
/// within this process, and ends with it.</param>
/// <param name="handled">Those that are not handled again; <see langword="null"/> where all are.</param>
internal sealed class RequestHandler(
    RpcClient client,
    Action<RabbitMqDeadLetter>? buried,
    MethodFilter? filter = null,
    HandledRequests? handled = null)
{
    /// <summary>What a server has: its answer names only what may be called here.</summary>
    private const string List = "ipc.reflection.v1/List";

    private const int MostNames = 10_000, LongestName = 256;

    private static readonly TimeSpan _listedFor = TimeSpan.FromSeconds(1);

    private static readonly byte[] _nothing = [];

    private readonly ConcurrentDictionary<(string, RpcMethodKind), RpcMethod> _methods = new();
    private volatile HashSet<string> _listed = []; // what the server said that it has
    private Deadline _listedUntil = Deadline.Now; // by who looks; any of two moments will do
    private long _deadLetters;
    private long _requests;
    private long _calls;
    private long _refusals;

    /// <summary>Requests that have come.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    /// <summary>Those of them that are calls, each when it comes for the first time.</summary>
    public long Calls => Interlocked.Read(ref _calls);

    /// <summary>Those of the calls that were not let pass.</summary>
    public long Refusals => Interlocked.Read(ref _refusals);

    /// <summary>Messages that were put into the dead-letter queue.</summary>
    public long DeadLetters => Interlocked.Read(ref _deadLetters);

    /// <summary>Methods whose names are kept.</summary>
    public int KnownMethods => _methods.Count;

    /// <summary>Whether what a handler has done is remembered: then it goes on when the connection that its request
    /// came on has gone.</summary>
    public bool Remembers => handled is not null;

    /// <summary>Requests that are remembered, and whose handlers run, whether or not their connections are
    /// there.</summary>
    public int Remembering => handled?.Running ?? 0;

    /// <summary>The client of the request with this id waits for it no more.</summary>
    public void Cancel(string id) => handled?.Cancel(id);

    /// <summary>Requests that needed no handler.</summary>
    public long Repetitions => handled?.Repetitions ?? 0;

    /// <summary>A request has come.</summary>
    public void Came(Request request)
    {
        Interlocked.Increment(ref _requests);
        if (IsNewCall(request))
            Interlocked.Increment(ref _calls);
    }

    /// <summary>Whether it is for the first time, for the service: imports ask all the time what it has.</summary>
    private static bool IsNewCall(Request request) =>
        request is { Foreign: null, IsRepeated: false, Method: not List };

    /// <summary>Why a request is not handled; <see langword="null"/> if it is.</summary>
    /// <exception cref="OperationCanceledException">As of <see cref="HandleAsync"/>.</exception>
    public async ValueTask<RpcCallException?> RefusalOfAsync(Request request, CancellationToken cancellationToken)
    {
        if (filter is null || request.Method == List || filter.AllowsByName(request.Method) ||
            (filter.Allows(request.Method) && await IsListedAsync(request.Method, cancellationToken)
                .ConfigureAwait(false)))
            return null;
        if (IsNewCall(request))
            Interlocked.Increment(ref _refusals);
        return new RpcCallException(
            RpcStatus.PermissionDenied, "The gateway of the service does not let " + request.Method + " pass.");
    }

    /// <summary>Returns when the handlers are there.</summary>
    /// <exception cref="OperationCanceledException">As of <see cref="HandleAsync"/>.</exception>
    public async Task WhenThereAsync(CancellationToken cancellationToken)
    {
        if (filter is null)
            return;
        try
        {
            await client.EnsureConnectedAsync(Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is RpcCallException or IpcException)
        {
            throw new OperationCanceledException("The handlers cannot be reached: " + e.Message, e);
        }
    }

    /// <summary>Whether the server has it, by its own account, which is asked for anew when it has not, but not for
    /// each stranger's name.</summary>
    private async Task<bool> IsListedAsync(string method, CancellationToken cancellationToken)
    {
        if (_listed.Contains(method))
            return true;
        if (!_listedUntil.HasPassed)
            return false;
        try
        {
            HashSet<string> listed = new(StringComparer.Ordinal);
            foreach (RpcMethodInfo info in await RpcReflection.ListAsync(client, cancellationToken)
                .ConfigureAwait(false))
                listed.Add(info.FullName);
            _listed = listed;
            _listedUntil = Deadline.After(_listedFor);
            return listed.Contains(method);
        }
        catch (RpcCallException e)
        {
            if (IsOfServersEnd(e))
                throw Gone(e);
            _listedUntil = Deadline.After(_listedFor);
            return false; // a server that does not say what it has
        }
    }

    /// <exception cref="OperationCanceledException">The connection to the broker was lost, or this server is stopping,
    /// or the other program's has gone: somebody else will get the request.</exception>
    public Task<Outcome> HandleAsync(Request request, CancellationToken cancellationToken) => handled is null
        ? CallAsync(request, cancellationToken)
        : handled.RunAsync(request, stop => CallAsync(request, stop));

    private async Task<Outcome> CallAsync(Request request, CancellationToken cancellationToken)
    {
        using RequestSpan? span = RequestSpan.Handling(request);
        RpcMetadata? answered = null;
        try
        {
            byte[] body = await ViewFor(request, answer => answered = answer).CallAsync(
                (RpcMethod<byte[], byte[]>)MethodOf(request), request.Body, cancellationToken).ConfigureAwait(false);
            if (filter is not null && request.Method == List)
                body = filter.Filter(body);
            return new Outcome(body, answered, null);
        }
        catch (RpcCallException e)
        {
            span?.Failed(e);
            if (IsOfServersEnd(e))
                throw Gone(e);
            return new Outcome(_nothing, answered, e);
        }
        catch (OperationCanceledException e) when (!IsStopping)
        {
            RpcCallException failure = new(
                RpcStatus.Cancelled, "A call to " + request.Method + " was cancelled.", e);
            span?.Failed(failure);
            return new Outcome(_nothing, null, failure);
        }
#pragma warning disable CA1031 // one request's: others are under way on the same connection
        catch (Exception e)
#pragma warning restore CA1031
        {
            span?.Failed(e);
            if (IsStopping)
                throw;
            return new Outcome(_nothing, null, new RpcCallException(
                RpcStatus.Internal, "A call to " + request.Method + " failed at its server: " + ErrorText.Of(e), e));
        }
    }

    /// <summary>The stream that a request asks for.</summary>
    /// <param name="request">The request.</param>
    /// <param name="answer">Is told the metadata at the end.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <param name="items">What its client sends; <see langword="null"/> if it sends nothing.</param>
    public IAsyncEnumerator<byte[]> Stream(
        Request request,
        Action<RpcMetadata> answer,
        CancellationToken cancellationToken,
        IAsyncEnumerable<byte[]>? items = null)
    {
        RpcClient view = ViewFor(request, answer);
        RpcMethod method = MethodOf(request);
        IAsyncEnumerable<byte[]> stream = items is null
            ? view.Stream((RpcMethod<byte[], byte[]>)method, request.Body, cancellationToken)
            : view.Duplex((RpcStreamMethod<byte[], byte[], byte[]>)method, request.Body, items, cancellationToken);
        return stream.GetAsyncEnumerator(CancellationToken.None);
    }

    /// <summary>The answer to a request whose client sends a stream.</summary>
    /// <param name="request">The request.</param>
    /// <param name="items">What its client sends.</param>
    /// <param name="answer">Is told the metadata at the end.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public ValueTask<byte[]> AnswerAsync(
        Request request,
        IAsyncEnumerable<byte[]> items,
        Action<RpcMetadata> answer,
        CancellationToken cancellationToken)
        => ViewFor(request, answer).ClientStream(
            (RpcStreamMethod<byte[], byte[], byte[]>)MethodOf(request), request.Body, items, cancellationToken);

    public bool IsStopping { get; set; }

    private static OperationCanceledException Gone(RpcCallException e) =>
        new("The handlers have stopped: " + e.Message, e);

    /// <summary>Whether the handlers have gone, rather than said so; or a server in another process does not let this
    /// one in, so that nobody has handled it.</summary>
    private bool IsOfServersEnd(RpcCallException failure) => filter is null
        ? failure.Status == RpcStatus.Unavailable && failure.RemoteType is null && (failure.IsUnsent || IsStopping)
        : failure.Status switch
        {
            RpcStatus.Unavailable => !failure.IsAnswer || failure.IsUnsent,
            RpcStatus.Unauthenticated or RpcStatus.FailedPrecondition => !failure.IsAnswer && failure.IsUnsent,
            _ => false,
        };

    public void Buried(Request request, string reason)
    {
        Interlocked.Increment(ref _deadLetters);
        try
        {
            buried?.Invoke(new RabbitMqDeadLetter(request.MessageId, request.Method, reason));
        }
#pragma warning disable CA1031 // the user's own; the message is safe
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("Ipc.Rpc.RabbitMq: the receiver of dead letters failed", null, e);
        }
    }

    private RpcClient ViewFor(Request request, Action<RpcMetadata> answer)
    {
        RpcMetadata metadata = Wire.MetadataOf(request.Headers);
        metadata.Add(RabbitMqMarks.MessageId, request.MessageId);
        if (request.IsRepeated)
            metadata.Add(RabbitMqMarks.Redelivered, "1");
        RpcClient view = client.With(metadata).WithAnswer(answer);
        return request.Expires is { } left ? view.WithDeadline(Deadline.After(left)) : view;
    }

    /// <summary>Names come from the network: not every one of them is kept.</summary>
    private RpcMethod MethodOf(Request request)
    {
        RpcMethodKind kind = request.Stream?.Kind ?? RpcMethodKind.Unary;
        if (_methods.TryGetValue((request.Method, kind), out RpcMethod? known))
            return known;
        RpcMethod method = request.Stream is { Sends: true }
            ? new RpcStreamMethod<byte[], byte[], byte[]>(
                request.Service, request.Name, kind, Wire.Bytes, Wire.Bytes, Wire.Bytes)
            : new RpcMethod<byte[], byte[]>(request.Service, request.Name, kind, Wire.Bytes, Wire.Bytes);
        if (request.Method.Length <= LongestName && _methods.Count < MostNames)
            _methods[(request.Method, kind)] = method;
        return method;
    }
}
