using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The meter "Ipc.Rpc.RabbitMq": what the gateways of this process do.</summary>
/// <remarks>Nothing is counted for it: parts register when they begin and end, and are asked when a collector asks.
/// What those did that have ended remains in the counters, so that these do not go back when one is replaced, for the
/// last thousand keys. Whether anything serves, and what is pending, is said of those that are there.</remarks>
internal static class GatewayMetrics
{
    public const string Export = "export", Import = "import", Topic = "topic";

    private const int MostPast = 1000; // names may change for ever

    private static readonly Dictionary<object, Part> _live = []; // its own lock
    private static readonly List<(Key Key, GatewayPart Did)> _past = []; // under the same one; of keys without a part
    private static readonly Meter _meter = Create();

    /// <summary>A part has begun.</summary>
    /// <param name="part">It, until it ends.</param>
    /// <param name="kind">What it is.</param>
    /// <param name="name">Its name on this machine.</param>
    /// <param name="address">The broker, and its name there.</param>
    /// <param name="look">On any thread.</param>
    public static void Add(object part, string kind, string name, RabbitMqAddress address, Func<GatewayPart> look)
    {
        _ = _meter; // there from the first one on
        Part added = new(new Key(kind, name, address.Service, address.Place), look);
        lock (_live)
        {
            int index = _past.FindIndex(one => one.Key == added.Key);
            if (index >= 0)
            {
                added.Before = _past[index].Did;
                _past.RemoveAt(index);
            }

            _live[part] = added;
        }
    }

    /// <summary>It has ended. Any number of times.</summary>
    public static void Remove(object part)
    {
        lock (_live)
        {
            if (!_live.Remove(part, out Part? ended))
                return;
            GatewayPart did = ended.Did.Ended();
            foreach (Part other in _live.Values)
            {
                if (other.Key == ended.Key)
                {
                    other.Before = other.Before.With(did);
                    return;
                }
            }

            _past.Add((ended.Key, did));
            if (_past.Count > MostPast)
                _past.RemoveAt(0);
        }
    }

    private static Meter Create()
    {
        Meter meter = new("Ipc.Rpc.RabbitMq", typeof(GatewayMetrics).Assembly.GetName().Version?.ToString(3));
        Func<Key, bool> calls = static key => key.Kind != Topic;
        Func<Key, bool> exports = static key => key.Kind == Export;
        Func<Key, bool> topics = static key => key.Kind == Topic;
        meter.CreateObservableCounter(
            "ipc.gateway.calls", () => Of(calls, static part => part.Calls), "{call}",
            "Calls and streams that came to an export for the first time, or that an import has handed on.");
        meter.CreateObservableCounter(
            "ipc.gateway.calls.refused", () => Of(exports, static part => part.Refused), "{call}",
            "Calls that an export does not let pass.");
        meter.CreateObservableUpDownCounter(
            "ipc.gateway.calls.pending", () => Of(exports, static part => part.UnderWay, ofLive: true), "{call}",
            "Calls and streams of an export that have not ended.");
        meter.CreateObservableCounter(
            "ipc.gateway.dead_letters", () => Of(exports, static part => part.DeadLetters), "{message}",
            "Messages that an export has put into the dead-letter queue.");
        meter.CreateObservableCounter(
            "ipc.gateway.topic.messages", Messages, "{message}", "Messages of topics that went to the broker or came.");
        meter.CreateObservableCounter(
            "ipc.gateway.topic.lost", () => Of(topics, static part => part.Lost), "{message}",
            "Messages of topics that did not come, or were overwritten before they could go.");
        meter.CreateObservableCounter(
            "ipc.gateway.topic.unfit", () => Of(topics, static part => part.Unfit), "{message}",
            "Messages that were left out: too large, or none of a topic.");
        meter.CreateObservableUpDownCounter(
            "ipc.gateway.serving", () => Of(static _ => true, static part => part.Serving, ofLive: true), "{part}",
            "How many parts serve, of those that are there.");
        return meter;
    }

    private static Dictionary<Key, GatewayPart> Parts(bool ofLive)
    {
        lock (_live)
        {
            Dictionary<Key, GatewayPart> parts = [];
            if (!ofLive)
            {
                foreach ((Key key, GatewayPart did) in _past)
                    parts[key] = did;
            }

            foreach (Part part in _live.Values)
            {
                GatewayPart did = part.Did;
                parts[part.Key] = parts.TryGetValue(part.Key, out GatewayPart? others) ? others.With(did) : did;
            }

            return parts;
        }
    }

    /// <param name="which">Parts of which keys.</param>
    /// <param name="number">What of them.</param>
    /// <param name="ofLive">Only of those that have not ended.</param>
    private static List<Measurement<long>> Of(
        Func<Key, bool> which, Func<GatewayPart, long> number, bool ofLive = false)
    {
        List<Measurement<long>> measured = [];
        foreach ((Key key, GatewayPart part) in Parts(ofLive))
        {
            if (which(key))
                measured.Add(key.Measure(number(part)));
        }

        return measured;
    }

    private static List<Measurement<long>> Messages()
    {
        List<Measurement<long>> measured = [];
        foreach ((Key key, GatewayPart part) in Parts(ofLive: false))
        {
            if (key.Kind != Topic)
                continue;
            measured.Add(key.Measure(part.Sent, new KeyValuePair<string, object?>("network.io.direction", "transmit")));
            measured.Add(key.Measure(
                part.Received, new KeyValuePair<string, object?>("network.io.direction", "receive")));
        }

        return measured;
    }

    private sealed class Part(Key key, Func<GatewayPart> look)
    {
        public Key Key { get; } = key;

        /// <summary>What those of its key did that have ended.</summary>
        public GatewayPart Before { get; set; } = new();

        public GatewayPart Did => Before.With(look());
    }

    /// <summary>Which parts a number is of.</summary>
    private readonly record struct Key(string Kind, string Name, string Service, string Broker)
    {
        public Measurement<long> Measure(long number, params KeyValuePair<string, object?>[] more) => new(
            number,
            [
                new("ipc.gateway.kind", Kind),
                new("ipc.name", Name),
                new("ipc.gateway.service", Service),
                new("ipc.gateway.broker", Broker),
                .. more,
            ]);
    }
}
