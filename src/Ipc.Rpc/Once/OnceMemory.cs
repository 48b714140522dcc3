using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;

namespace Ipc.Rpc;

// A call is executed at most once because of two things. Every call that has begun is in the table until it is
// forgotten, and when one is forgotten, all ids as old as its own or older are refused that are not in the table. So an
// id that is neither in the table nor refused has never been seen. What was before the server's start is in its store,
// or is refused in the same way.
//
// With a store, a call is written there before its handler runs, and again with its outcome before that is sent. One
// that was begun and has no outcome when a server starts is neither executed nor answered.

/// <summary>What a server remembers of calls that are executed once.</summary>
internal sealed class OnceMemory
{
    private readonly object _gate = new();
    private readonly Dictionary<OnceKey, OnceEntry> _entries = new();
    private readonly Queue<OnceEntry> _ended = new(); // of _entries, the oldest end first
    private readonly RpcOnceOptions _options;
    private readonly IOnceStore? _store;
    private readonly Func<TimeSpan> _clock; // since some moment
    private readonly Func<long> _ticks; // UTC
    private long _bytes; // of _ended
    private long _forgottenTo; // ticks
    private long _toldTo; // the same for the store, which each server reads with its own MaxClockAhead
    private int _running;

    /// <param name="options">Which were checked.</param>
    /// <param name="ticks">The clock by which ids are made; for tests.</param>
    /// <param name="clock">The clock by which outcomes grow old; for tests.</param>
    /// <exception cref="IpcException">The store cannot be read, or another server uses it.</exception>
    public OnceMemory(RpcOnceOptions options, Func<long>? ticks = null, Func<TimeSpan>? clock = null)
    {
        _options = options;
        _store = options.Store;
        _ticks = ticks ?? (static () => DateTime.UtcNow.Ticks);
        _clock = clock ?? (static () => TimeSpan.FromSeconds(Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency));
        if (_store is null)
            _forgottenTo = _ticks() + options.MaxClockAhead.Ticks;
        else
            Load(_store.Load());
    }

    /// <summary>Whether a handler runs: also one whose connection has gone.</summary>
    public bool HasRunning
    {
        get
        {
            lock (_gate)
                return _running != 0;
        }
    }

    /// <summary>How many calls are remembered, and how many bytes their outcomes take: for tests.</summary>
    internal (int Count, long Bytes) Size
    {
        get
        {
            lock (_gate)
                return (_entries.Count, _bytes);
        }
    }

    /// <summary>A request has come.</summary>
    /// <param name="key">Its call.</param>
    /// <param name="call">The key with the hash of the request.</param>
    /// <param name="isNew">Whether it is the first of its call: then it is to be executed.</param>
    /// <param name="refusal">Why it is neither that nor answered from memory.</param>
    /// <returns><see langword="null"/> if it is refused.</returns>
    public OnceEntry? Enter(OnceKey key, byte[] call, out bool isNew, out RpcOnceRefusal refusal)
    {
        List<ReadOnlyMemory<byte>>? forgotten;
        OnceEntry? entry;
        lock (_gate)
        {
            forgotten = Trim(makeRoom: false);
            isNew = !_entries.TryGetValue(key, out entry);
            refusal = isNew ? Refusal(key, ref forgotten) : Same(entry!, call);
            if (refusal != RpcOnceRefusal.None)
                entry = null;
            else if (isNew)
                _entries.Add(key, entry = new OnceEntry(key, call));
        }

        Forget(forgotten);
        return entry;
    }

    /// <summary>Its handler is about to run.</summary>
    /// <returns><see langword="false"/> if it may not: the call was abandoned.</returns>
    /// <exception cref="RpcCallException">The store could not be written.</exception>
    public bool TryStart(OnceEntry entry, IOnceCall request)
    {
        lock (_gate)
        {
            if (entry.Now != OnceEntry.Stage.Waiting)
                return false;
            entry.Now = OnceEntry.Stage.Running;
            entry.Runs = request;
            _running++;
        }

        if (_store is null)
            return true;
        try
        {
            _store.Begin(entry.Call);
            return true;
        }
#pragma warning disable CA1031 // a store's: whatever it is, nothing is executed without it
        catch (Exception e)
#pragma warning restore CA1031
        {
            Abandon(entry, OnceEntry.Stage.Running);
            throw OnceRefusals.Of(RpcOnceRefusal.NotStored, ErrorText.Of(e), e);
        }
    }

    /// <summary>Its handler has ended. Records the outcome and answers those that wait for it.</summary>
    public void End(OnceEntry entry, OnceOutcome outcome)
    {
        OnceOutcome kept = outcome.Length <= _options.MaxOutcomeBytes
            ? outcome
            : OnceRefusals.Outcome(RpcOnceRefusal.NotKept, outcome.Length + " bytes");
        if (_store is not null)
        {
            try
            {
                _store.End(entry.Call, kept.Bytes);
            }
#pragma warning disable CA1031 // a store's: after a restart nobody knows the outcome, and that is what is said then
            catch (Exception e)
#pragma warning restore CA1031
            {
                Stray.Report("The outcome of a call could not be stored", null, e);
            }
        }

        HashSet<IOnceCall>? joined;
        List<ReadOnlyMemory<byte>>? forgotten;
        lock (_gate)
        {
            joined = Leave(entry, OnceEntry.Stage.Ended);
            Keep(entry, kept);
            forgotten = Trim(makeRoom: false);
        }

        Forget(forgotten);
        Answer(joined, outcome);
    }

    /// <summary>Its handler will not run for this request, unless it runs already: the call may be made
    /// again.</summary>
    /// <returns>Whether it will not.</returns>
    public bool TryAbandon(OnceEntry entry) => Abandon(entry, OnceEntry.Stage.Waiting);

    /// <summary>Has a repeat wait for the outcome.</summary>
    /// <returns>The outcome, if it is there: then it does not wait.</returns>
    public OnceOutcome? Join(OnceEntry entry, IOnceCall request)
    {
        lock (_gate)
        {
            switch (entry.Now)
            {
                case OnceEntry.Stage.Ended:
                    return entry.Outcome;
                case OnceEntry.Stage.Abandoned:
                    return OnceRefusals.Interrupted;
                default:
                    (entry.Joined ??= new HashSet<IOnceCall>()).Add(request);
                    return null;
            }
        }
    }

    /// <summary>A repeat waits no more: its caller has gone, or has no more time.</summary>
    /// <returns>Whether it did, and nobody answers it.</returns>
    public bool TryPart(OnceEntry entry, IOnceCall request)
    {
        lock (_gate)
            return entry.Joined is { } joined && joined.Remove(request);
    }

    /// <summary>The server ends: fires the tokens of the handlers that run.</summary>
    public void CancelAll()
    {
        lock (_gate)
        {
            foreach (OnceEntry entry in _entries.Values)
                entry.Runs?.Cancel(); // fires elsewhere
        }
    }

    private static RpcOnceRefusal Same(OnceEntry entry, byte[] call)
        => entry.Call.AsSpan().SequenceEqual(call) ? RpcOnceRefusal.None : RpcOnceRefusal.OtherCall;

    /// <summary>Why a call is not executed that is not in the table. Under the lock.</summary>
    private RpcOnceRefusal Refusal(OnceKey key, ref List<ReadOnlyMemory<byte>>? forgotten)
    {
        if (key.Id.Ticks > _ticks() + _options.MaxClockAhead.Ticks)
            return RpcOnceRefusal.Early;
        if (_entries.Count >= _options.MaxOutcomes && Trim(makeRoom: true) is { } more)
            (forgotten ??= new List<ReadOnlyMemory<byte>>()).AddRange(more);
        if (key.Id.Ticks <= _forgottenTo) // by what has just gone, too
            return RpcOnceRefusal.Forgotten;
        return _entries.Count >= _options.MaxOutcomes ? RpcOnceRefusal.Full : RpcOnceRefusal.None;
    }

    private static void Answer(HashSet<IOnceCall>? joined, OnceOutcome outcome)
    {
        if (joined is null)
            return;
        foreach (IOnceCall call in joined)
            call.Answer(outcome);
    }

    private bool Abandon(OnceEntry entry, OnceEntry.Stage stage)
    {
        HashSet<IOnceCall>? joined;
        lock (_gate)
        {
            if (entry.Now != stage)
                return entry.Now == OnceEntry.Stage.Abandoned;
            joined = Leave(entry, OnceEntry.Stage.Abandoned);
            _entries.Remove(entry.Key);
        }

        Answer(joined, OnceRefusals.Interrupted);
        return true;
    }

    /// <summary>Under the lock.</summary>
    private HashSet<IOnceCall>? Leave(OnceEntry entry, OnceEntry.Stage stage)
    {
        if (entry.Now == OnceEntry.Stage.Running)
            _running--;
        HashSet<IOnceCall>? joined = entry.Joined;
        entry.Now = stage;
        entry.Runs = null;
        entry.Joined = null;
        return joined;
    }

    /// <summary>Under the lock.</summary>
    private void Keep(OnceEntry entry, OnceOutcome outcome)
    {
        entry.Outcome = outcome;
        entry.EndedAt = _clock();
        _ended.Enqueue(entry);
        _bytes += entry.Bytes;
    }

    /// <summary>Forgets the oldest that are too many or too old. Under the lock.</summary>
    /// <param name="makeRoom">Whether one more is to have room.</param>
    /// <returns>The calls that were forgotten; <see langword="null"/> for none.</returns>
    private List<ReadOnlyMemory<byte>>? Trim(bool makeRoom)
    {
        List<ReadOnlyMemory<byte>>? forgotten = null;
        while (_ended.Count != 0)
        {
            OnceEntry oldest = _ended.Peek();
            bool isTooMany = _entries.Count + (makeRoom ? 1 : 0) > _options.MaxOutcomes || _bytes > _options.MaxBytes;
            if (!isTooMany && _clock() - oldest.EndedAt <= _options.KeepFor)
                break;
            _ended.Dequeue();
            _entries.Remove(oldest.Key);
            _bytes -= oldest.Bytes;
            _forgottenTo = Math.Max(_forgottenTo, oldest.Key.Id.Ticks);
            _toldTo = Math.Max(_toldTo, oldest.Key.Id.Ticks);
            (forgotten ??= new List<ReadOnlyMemory<byte>>()).Add(oldest.Call);
        }

        return forgotten;
    }

    /// <summary>Tells the store. Not under the lock: what it still has is refused or answered as well.</summary>
    private void Forget(List<ReadOnlyMemory<byte>>? calls)
    {
        if (calls is null || _store is null)
            return;

        long forgottenTo;
        lock (_gate)
            forgottenTo = _toldTo;
        try
        {
            _store.Forget(calls, new DateTime(forgottenTo, DateTimeKind.Utc));
        }
#pragma warning disable CA1031 // a store's: it remembers more than it has to
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("The store of calls could not forget", null, e);
        }
    }

    private void Load(OnceStoreContents contents)
    {
        _toldTo = contents.ForgottenTo.Ticks;
        _forgottenTo = Math.Min(
            contents.ForgottenTo.Ticks + _options.MaxClockAhead.Ticks, DateTime.MaxValue.Ticks);
        foreach (KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>> call in contents.Calls)
        {
            if (!OnceKey.TryRead(call.Key.Span, out OnceKey key) || _entries.ContainsKey(key))
                continue; // nothing that this library wrote
            var entry = new OnceEntry(key, call.Key.ToArray());
            _entries.Add(key, entry);
            Leave(entry, OnceEntry.Stage.Ended);
            Keep(entry, OnceOutcome.TryRead(call.Value) ?? OnceRefusals.Outcome(RpcOnceRefusal.Unknown, null));
        }

        Forget(Trim(makeRoom: false));
    }
}
