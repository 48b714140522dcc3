using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin;

// One subscription for all streamed cells of a service, followed by one task, which has no thread while it waits and ends with the last cell. When cells join it is begun anew, a
// moment later, so that a sheet that opens with a thousand of them makes a few subscriptions and not a thousand. When the daemon goes the cells have no value; the
// task asks until there is one again, less and less often: a name that was mistyped has no daemon for ever.
//
// Two locks: _gate for what is known, and around it _telling for as long as observers are told, so that each hears the values in their order, the one that
// there was when it subscribed first.

/// <summary>The streamed cells of a service. Without any it costs nothing: neither a thread nor a look at the clock.</summary>
internal sealed class CellStreams : IDisposable
{
    private static readonly TimeSpan s_settle = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(20); // what a timer takes

    private readonly SheetService _service;
    private readonly SheetOptions _options;
    private readonly object _telling = new();
    private readonly object _gate = new();
    private readonly Dictionary<CellKey, CellStream> _streams = new();
    private Task? _following; // while there are cells
    private CancellationTokenSource? _subscription;
    private long _looksAt; // when it ends to look for idle cells
    private int _failures; // the task's: in a row
    private bool _grown;
    private bool _disposed;

    public CellStreams(SheetService service, SheetOptions options)
    {
        _service = service;
        _options = options;
    }

    /// <summary>Whether no cell is streamed.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_gate)
                return _streams.Count == 0;
        }
    }

    /// <summary>The latest value of a cell, which is streamed from now on; null while there is none.</summary>
    public CellValue? Latest(string id, string field)
    {
        lock (_gate)
            return Find(new CellKey(id, field))?.Value;
    }

    /// <summary>Tells of every value from now on, beginning with the present one. Disposing the result ends it.</summary>
    public IDisposable Subscribe(string id, string field, IObserver<CellValue> observer)
    {
        CellStream? stream;
        lock (_telling)
        {
            CellValue? present;
            lock (_gate)
            {
                stream = Find(new CellKey(id, field));
                stream?.Observers.Add(observer);
                present = stream?.Value;
            }
            if (present is { } value)
                Tell(observer, value);
        }
        if (stream is null)
            observer.OnCompleted(); // closed
        return new Subscription(this, stream, observer);
    }

    public void Dispose()
    {
        Task? following;
        CancellationTokenSource? subscription;
        lock (_gate)
        {
            _disposed = true;
            following = _following;
            subscription = _subscription;
        }
        subscription?.Cancel(); // what that runs is not to run under a lock
        following?.GetAwaiter().GetResult();
    }

    /// <summary>How long to wait after so many failures in a row.</summary>
    internal static TimeSpan PauseAfter(int failures) => TimeSpan.FromMilliseconds(Math.Min(2000, 100 << Math.Min(failures, 5)));

    private CellStream? Find(CellKey key)
    {
        if (_disposed)
            return null;
        if (!_streams.TryGetValue(key, out CellStream? stream))
        {
            _streams.Add(key, stream = new CellStream(key));
            if (!_grown)
                _subscription?.CancelAfter(s_settle);
            _grown = true;
            _following ??= Task.Run(RunAsync); // not here: connecting may take as long as the deadline
        }
        stream.AskedAt = Clock.Now;
        return stream;
    }

    private async Task RunAsync()
    {
        while (Begin(out CancellationToken cancel) is { } streams)
        {
            string reason;
            try
            {
                await Follow(streams, cancel).ConfigureAwait(false);
                reason = "the daemon has ended its stream";
            }
            catch (OperationCanceledException) when (cancel.IsCancellationRequested)
            {
                continue; // more cells, fewer cells, or the end
            }
#pragma warning disable CA1031 // whatever it is: the cells lose their values, and the sheet lives
            catch (Exception e)
#pragma warning restore CA1031
            {
                reason = SheetService.ReasonOf(e);
            }
            _service.Failed(reason);
            foreach (CellStream stream in streams)
                Set(stream, null);
            try
            {
                await Task.Delay(PauseAfter(_failures++), cancel).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                // Another cell: that one is asked for at once.
            }
        }
    }

    /// <summary>The cells to follow next; null: there are none any more, and the task ends.</summary>
    private List<CellStream>? Begin(out CancellationToken cancel)
    {
        lock (_gate)
        {
            Forget();
            cancel = default;
            if (_disposed || _streams.Count == 0)
            {
                _following = null;
                _subscription = null;
                _failures = 0;
                return null;
            }
            _grown = false;
            _subscription = new CancellationTokenSource(); // never disposed: others may be about to cancel it, and it holds nothing but a timer that goes off
            _looksAt = long.MaxValue;
            if (UntilOneIsIdle() is { } left)
                LookAfter(_subscription, left); // a daemon whose values stand still says nothing
            cancel = _subscription.Token;
            return new List<CellStream>(_streams.Values);
        }
    }

    private void Forget()
    {
        long before = Clock.Now - Clock.Ticks(_options.StreamMemory);
        foreach (CellStream stream in new List<CellStream>(_streams.Values))
        {
            if (IsIdle(stream, before))
                _streams.Remove(stream.Key);
        }
    }

    /// <summary>When to look next whether a cell is still wanted; null: all have observers, who say so themselves.</summary>
    private TimeSpan? UntilOneIsIdle()
    {
        long? first = null;
        foreach (CellStream stream in _streams.Values)
        {
            if (stream.Observers.Count == 0 && (first is null || stream.AskedAt < first))
                first = stream.AskedAt;
        }
        return first is { } askedAt ? UntilIdle(askedAt) : null;
    }

    private TimeSpan UntilIdle(long askedAt)
    {
        TimeSpan left = Clock.Until(askedAt) + _options.StreamMemory;
        return left < s_settle ? s_settle : left > s_longest ? s_longest : left;
    }

    /// <summary>Unless it does so before that. Under the gate.</summary>
    private void LookAfter(CancellationTokenSource? subscription, TimeSpan left)
    {
        long at = Clock.Now + Clock.Ticks(left);
        if (at >= _looksAt)
            return;
        _looksAt = at;
        subscription?.CancelAfter(left);
    }

    private static bool IsIdle(CellStream stream, long before) => stream.Observers.Count == 0 && stream.AskedAt < before;

    private async Task Follow(List<CellStream> streams, CancellationToken cancel)
    {
        var keys = new List<CellKey>(streams.Count);
        foreach (CellStream stream in streams)
            keys.Add(stream.Key);
        var request = new SubscribeRequest
        {
            Cells = Requests.Of(keys),
            IntervalMs = (int)Math.Max(10, Math.Min(60_000, _options.StreamInterval.TotalMilliseconds)),
        };
        await foreach (Changes changes in _service.Sheet.Subscribe(request, cancel).ConfigureAwait(false))
        {
            _failures = 0;
            CellGrid values = CellPacking.Unpack(changes.Values ?? new Cells());
            if (values.RowMajor.Length != changes.Places.Count)
                throw new InvalidDataException($"the daemon told {values.RowMajor.Length} values of {changes.Places.Count} changes");
            for (int i = 0; i < changes.Places.Count; i++)
            {
                int place = changes.Places[i];
                if ((uint)place >= (uint)streams.Count)
                    throw new InvalidDataException($"the daemon told of the change of cell {place} of {streams.Count}");
                Set(streams[place], values[0, i]);
            }
            EndIfIdle(streams);
        }
    }

    private void EndIfIdle(List<CellStream> streams)
    {
        long before = Clock.Now - Clock.Ticks(_options.StreamMemory);
        CancellationTokenSource? subscription = null;
        lock (_gate)
        {
            if (streams.Exists(stream => IsIdle(stream, before)))
                subscription = _subscription;
        }
        subscription?.Cancel();
    }

    private void Set(CellStream stream, CellValue? value)
    {
        lock (_telling)
        {
            IObserver<CellValue>[] observers;
            lock (_gate)
            {
                if (_disposed || Nullable.Equals(stream.Value, value))
                    return;
                stream.Value = value;
                observers = stream.Observers.ToArray();
            }
            foreach (IObserver<CellValue> observer in observers)
                Tell(observer, value ?? CellValue.NotAvailable);
        }
    }

    private void Tell(IObserver<CellValue> observer, CellValue value)
    {
        try
        {
            observer.OnNext(value);
        }
#pragma warning disable CA1031 // the host's own failure, which must not take the other cells' values
        catch (Exception e)
#pragma warning restore CA1031
        {
            _service.Failed("a reader of a stream failed: " + e.Message);
        }
    }

    private sealed class Subscription : IDisposable
    {
        private readonly CellStreams _owner;
        private readonly CellStream? _stream;
        private readonly IObserver<CellValue> _observer;

        public Subscription(CellStreams owner, CellStream? stream, IObserver<CellValue> observer)
        {
            _owner = owner;
            _stream = stream;
            _observer = observer;
        }

        public void Dispose()
        {
            lock (_owner._gate)
            {
                bool wasLast = _stream is not null && _stream.Observers.Remove(_observer) && _stream.Observers.Count == 0;
                if (wasLast && !_owner._grown) // else it is begun anew in a moment, and looks then
                    _owner.LookAfter(_owner._subscription, _owner.UntilIdle(_stream!.AskedAt)); // of the others it knows: thousands may end at once
            }
        }
    }
}
