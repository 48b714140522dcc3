#if NET
using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace Ipc;

/// <summary>The structures of one kind that are open in this process, and the instruments that tell their numbers while
/// a listener asks.</summary>
/// <remarks>The numbers of a queue or topic are those of all its processes, so each is told once, however often it is
/// open here.</remarks>
/// <typeparam name="T">The kind.</typeparam>
internal sealed class Metered<T>
    where T : class
{
    private readonly List<WeakReference<T>> _live = new(); // under its own lock
    private readonly Func<T, string> _name;

    public Metered(Func<T, string> name) => _name = name;

    /// <summary>It is open: its numbers are told until it is removed or forgotten.</summary>
    public void Add(T structure)
    {
        lock (_live)
        {
            _live.RemoveAll(static weak => !weak.TryGetTarget(out _)); // those that were never disposed
            _live.Add(new WeakReference<T>(structure));
        }
    }

    public void Remove(T structure) => Uninterrupted.Do(disposed =>
    {
        lock (_live)
            _live.RemoveAll(weak => weak.TryGetTarget(out T? other) && ReferenceEquals(other, disposed));
    }, structure);

    /// <summary>An instrument whose number goes up and down.</summary>
    public void Observe(string instrument, string unit, string description, Func<T, long> number) =>
        CoreMeter.Instance.CreateObservableUpDownCounter(instrument, () => Measure(number), unit, description);

    /// <summary>An instrument whose number only grows.</summary>
    public void Count(string instrument, string unit, string description, Func<T, long> number) =>
        CoreMeter.Instance.CreateObservableCounter(instrument, () => Measure(number), unit, description);

    /// <summary>One number for each name: the largest that any of its objects knows (a topic's writer knows another
    /// "behind" than its readers).</summary>
    private List<Measurement<long>> Measure(Func<T, long> number)
    {
        var largest = new SortedDictionary<string, long>(StringComparer.Ordinal);
        foreach (T structure in Present())
        {
            long value = number(structure);
            string of = _name(structure);
            if (!largest.TryGetValue(of, out long known) || known < value)
                largest[of] = value;
        }

        var measured = new List<Measurement<long>>(largest.Count);
        foreach (KeyValuePair<string, long> pair in largest)
            measured.Add(
                new Measurement<long>(pair.Value, new KeyValuePair<string, object?>(CoreMeter.NameTag, pair.Key)));
        return measured;
    }

    private List<T> Present()
    {
        var present = new List<T>();
        lock (_live)
        {
            foreach (WeakReference<T> weak in _live)
            {
                if (weak.TryGetTarget(out T? structure))
                    present.Add(structure);
            }
        }

        return present;
    }
}
#endif
