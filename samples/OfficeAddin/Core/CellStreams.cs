using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin;

// One subscription for all streamed cells of a service, followed by one thread. When cells join it is begun anew, a moment later, so that a sheet that opens
// with a thousand of them makes a few subscriptions and not a thousand. When the daemon goes the cells have no value; the thread asks until there is one again.
//
// Two locks: _gate for what is known, and around it _telling for as long as observers are told, so that each hears the values in their order, the one that
// there was when it subscribed first.

/// <summary>The streamed cells of a service.</summary>
internal sealed class CellStreams : IDisposable
{
    private static readonly TimeSpan s_settle = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    private readonly SheetService _service;
    private readonly SheetOptions _options;
    private readonly object _telling = new();
    private readonly object _gate = new();
    private readonly Dictionary<CellKey, CellStream> _streams = new();
    private Thread? _thread;
    private CancellationTokenSource? _subscription;
    private bool _grown;
    private bool _disposed;

    public CellStreams(SheetService service, SheetOptions options)
    {
        _service = service;
        _options = options;
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
        Thread? thread;
        CancellationTokenSource? subscription;
        lock (_gate)
        {
            _disposed = true;
            thread = _thread;
            subscription = _subscription;
            Monitor.PulseAll(_gate);
        }
        subscription?.Cancel(); // what that runs is not to run under a lock
        thread?.Join();
    }

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
            if (_thread is null)
            {
                _thread = new Thread(Run) { IsBackground = true, Name = "sheet " + _service.Name };
                _thread.Start();
            }
            Monitor.PulseAll(_gate);
        }
        stream.AskedAt = Clock.Now;
        return stream;
    }

    private void Run()
    {
        while (Begin(out CancellationToken cancel) is { } streams)
        {
            try
            {
                Follow(streams, cancel).GetAwaiter().GetResult();
                Fail(streams, "the daemon has ended its stream");
            }
            catch (OperationCanceledException) when (cancel.IsCancellationRequested)
            {
                // More cells, fewer cells, or the end.
            }
#pragma warning disable CA1031 // whatever it is: the cells lose their values, and the sheet lives
            catch (Exception e)
#pragma warning restore CA1031
            {
                Fail(streams, SheetService.ReasonOf(e));
            }
        }
    }

    /// <summary>The cells to follow next, when there are some; null: the end.</summary>
    private List<CellStream>? Begin(out CancellationToken cancel)
    {
        lock (_gate)
        {
            Forget();
            while (!_disposed && _streams.Count == 0)
                Monitor.Wait(_gate);
            cancel = default;
            if (_disposed)
                return null;
            _grown = false;
            _subscription = new CancellationTokenSource(); // never disposed: others may be about to cancel it, and it holds nothing
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

    private void Fail(List<CellStream> streams, string reason)
    {
        _service.Failed(reason);
        foreach (CellStream stream in streams)
            Set(stream, null);
        lock (_gate)
        {
            if (!_disposed)
                Monitor.Wait(_gate, s_pause);
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
                _stream?.Observers.Remove(_observer);
        }
    }
}
