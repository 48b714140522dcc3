using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

// Asynchronous calls leave their requests to a thread that connects for all of them (EarlyRequests.cs). It lives as
// long as some wait. Threads that call synchronously connect by themselves as ever, one after another and after that
// thread: whoever gets the connection gives it what waits, and only then shows it to others, so that the requests of
// one thread stay in order.
//
// "There is no server" is the answer to who asked before somebody looked. Who asked meanwhile has it looked again: the
// server may have come in between.

/// <content>Connecting for calls whose threads do not wait for it.</content>
internal sealed partial class ClientSession
{
    private const int MostAttempts = 3; // for one request, to find a connection that lives long enough to take it

    private readonly EarlyRequests _early;
    private CancellationTokenSource? _attempt; // this and the next two under the gate: a thread connects, for these
    private bool _connectsAside;
    private bool _emptiedByDeadline;

    /// <summary>Called after each attempt, on the thread that made it. For tests.</summary>
    internal Action? Attempted { get; set; }

    /// <summary>Called with a connection that is made, before it takes what waits. For tests.</summary>
    internal Action<ClientChannel>? Started { get; set; }

    /// <inheritdoc/>
    public bool TrySendEarly<TRequest>(
        CallEngine? stale,
        RpcMethod method,
        MessageCodec<TRequest> codec,
        in TRequest request,
        PendingCall? call,
        in CallRequest how,
        out EarlyRequest? early)
    {
        early = null;
        if (IsConnectedBut(stale))
            return false;
        if (CallbackHere is { IsLeaving: true } within)
            throw within.Engine.OfUnhandled().ToException(how.Cancel, method, Peer);

        lock (_early.Gate)
            ThrowUnlessMayConnect(method, how.Cancel);
        byte[]? head = how.Setup.ComposeHead();
        byte[] frame = CallEngine.EncodeAside(method, codec, in request, head);
        early = new EarlyRequest(_early, method, call, frame, head, in how, Peer);
        bool start;
        lock (_early.Gate)
        {
            if (IsConnectedBut(stale))
                return false;
            ThrowUnlessMayConnect(method, how.Cancel);
            if (_early.Add(early, Peer) is { } failure)
                throw failure.ToException(how.Cancel, method, Peer);
            if (call is not null)
                call.Early = early;
            start = !_connectsAside;
            _connectsAside = true;
        }

        if (start)
            StartConnecting();
        return true;
    }

    /// <summary>Why no call connects any more: there was a connection, and the options allow no other one.</summary>
    public RpcFailure? End => Options.AutoReconnect ? null : Channel?.Ended;

    private bool IsConnectedBut(CallEngine? stale) =>
        Channel is { TakesCalls: true } channel && !ReferenceEquals(channel.Engine, stale);

    private void ThrowUnlessMayConnect(RpcMethod method, CancellationToken cancellationToken)
    {
        ThrowIfDisposed();
        if (End is { } ended)
            throw ended.OfUnsent().ToException(cancellationToken, method, Peer);
        if (RefusalNow() is { } refusal)
            throw refusal.ToException(cancellationToken, method, Peer);
    }

    private void StartConnecting()
    {
        try
        {
            OwnThread.Start(new Thread(ConnectAside, 256 * 1024) { IsBackground = true, Name = "ipc-rpc connector" });
        }
#pragma warning disable CA1031 // there is no thread to be had: the calls end
        catch (Exception e)
#pragma warning restore CA1031
        {
            EndConnecting(
                new RpcFailure(
                    RpcStatus.ResourceExhausted,
                    "No thread could be started to connect to " + Peer + ": " + ErrorText.Of(e),
                    null,
                    e));
        }
    }

    private void ConnectAside()
    {
        try
        {
            int attempts = 0;
            long first = 0;
            while (BeginAttempt(out long newest) is { } attempt)
            {
                if (attempts == 0)
                    first = newest;
                bool failed;
                using (attempt)
                    failed = ConnectAside(attempt.Token) is not null;
                Attempted?.Invoke();
                attempts = failed ? 0 : attempts + 1;
                if (attempts < MostAttempts)
                    continue;

                attempts = 0;
                if (Channel?.Ended is { } ended)
                    FailEarly(ended.OfUnsent(), upTo: first); // not who asked after that: its server may be there now
            }
        }
#pragma warning disable CA1031 // on a thread of its own it would end the process
        catch (Exception e)
#pragma warning restore CA1031
        {
            EndConnecting(
                new RpcFailure(RpcStatus.Internal, "Connecting to " + Peer + " failed: " + ErrorText.Of(e), null, e));
        }
    }

    /// <summary>Makes the token that ends one attempt; none when nobody waits for a connection.</summary>
    /// <param name="newest">The last request that it is made for.</param>
    private CancellationTokenSource? BeginAttempt(out long newest)
    {
        lock (_early.Gate)
        {
            newest = _early.Newest;
            _emptiedByDeadline = false;
            _connectsAside = _early.Count != 0;
            return _attempt = _connectsAside ? CancellationTokenSource.CreateLinkedTokenSource(_closing.Token) : null;
        }
    }

    /// <summary>Makes one attempt, and ends the requests that it was made for if it fails.</summary>
    /// <returns>Why it failed; <see langword="null"/> when it did not, or when nobody waits any more.</returns>
    private RpcFailure? ConnectAside(CancellationToken cancellationToken)
    {
        Channel?.EndIfGone(cancellationToken); // who has left its request here could not wait for that
        if (!EnterConnecting(Deadline.Never, cancellationToken))
            return null;
        RpcFailure? failure;
        long newest;
        try
        {
            lock (_early.Gate)
            {
                newest = _early.Newest;
                failure = RefusalNow();
            }

            if (End is { } ended)
                failure = ended.OfUnsent();
            if (failure is null && Channel is not { TakesCalls: true })
            {
                if (TryConnect(Options.ConnectTimeout, cancellationToken, out failure) is { } channel)
                    Take(channel);
                else if (failure is null)
                    PauseAfterDeadlines();
            }
            else if (failure is null)
            {
                // a thread that waited for its own call was faster, and has given all of them to its connection
                return null;
            }
        }
        finally
        {
            Monitor.Exit(_connecting);
        }

        if (failure is not null)
            FailEarly(failure, newest);
        return failure;
    }

    /// <summary>Nobody waits for a connection any more, or nobody may.</summary>
    private void StopAttempt(bool byDeadline)
    {
        CancellationTokenSource? attempt;
        lock (_early.Gate)
        {
            if (_early.Count != 0)
                return;
            _emptiedByDeadline = byDeadline;
            attempt = _attempt;
        }

        try
        {
            attempt?.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // That attempt is over.
        }
    }

    /// <summary>The server had the time of all who waited for it, and did not answer: it is not asked again at
    /// once.</summary>
    private void PauseAfterDeadlines()
    {
        lock (_early.Gate)
        {
            if (!_emptiedByDeadline)
                return;
        }

        Pause(
            new RpcFailure(
                RpcStatus.Unavailable,
                PeerName.First(Peer) +
                    " did not answer before the deadlines of all calls that waited for a connection.",
                isUnsent: true));
    }

    private void EndConnecting(RpcFailure failure)
    {
        lock (_early.Gate)
            _connectsAside = false;
        FailEarly(failure, upTo: long.MaxValue);
    }

    private void FailEarly(RpcFailure failure, long upTo)
    {
        List<EarlyRequest> failed;
        lock (_early.Gate)
            failed = _early.TakeUpTo(upTo);
        foreach (EarlyRequest each in failed)
            each.End(failure);
    }

    /// <summary>Gives what waits to a connection that nobody knows yet, and shows it to all. Not under the
    /// gate.</summary>
    private void Show(ClientChannel channel)
    {
        var taken = new List<EarlyRequest>();
        List<(EarlyRequest Request, RpcFailure Failure)>? refused = null;
        channel.BeginTaking(); // its lock first, then the gate: as somebody whose message calls while it is written
        try
        {
            lock (_early.Gate)
            {
                _pause = 0;
                _refusal = null;
                while (channel.Ended is null && _early.First is { } first)
                {
                    RpcFailure? failure = channel.Take(first);
                    _early.Remove(first);
                    if (failure is null)
                        taken.Add(first);
                    else
                        (refused ??= new()).Add((first, failure));
                }

                Interlocked.Exchange(ref _channel, channel); // [disposed] [watched]
            }
        }
        finally
        {
            channel.EndTaking(taken);
        }

        foreach (EarlyRequest each in taken)
            each.Go();
        if (refused is null)
            return;
        foreach ((EarlyRequest request, RpcFailure failure) in refused)
            request.End(failure);
    }

    /// <inheritdoc/>
    public async Task SentEarly(EarlyRequest early)
    {
        using (early.How.Cancel.Register(
            static state => EndCancelled((EarlyRequest)state!), early, useSynchronizationContext: false))
        {
            await early.Left.ConfigureAwait(false);
        }

        if (early.Failure is { } failure)
            throw failure.ToException(early.How.Cancel, early.Method, Peer);
        await early.Taken!.SentAsync(early.Method, early.Queued!, early.How).ConfigureAwait(false);
    }

    private static void EndCancelled(EarlyRequest early) => early.TryEnd(RpcFailure.Cancelled(early.Method));

    /// <summary>What connecting failed with, to who calls.</summary>
    private static RpcStatus StatusOf(IpcStatus connecting) => connecting switch
    {
        IpcStatus.InvalidName or IpcStatus.InvalidArgument => RpcStatus.InvalidArgument,
        IpcStatus.WrongKind or IpcStatus.WrongVersion => RpcStatus.FailedPrecondition, // not mended by waiting
        _ => RpcStatus.Unavailable,
    };
}
