using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The meter "Ipc.Rpc.RabbitMq": what the gateways of this process do.</summary>
/// <remarks>Nothing is counted for it: parts register when they begin and end, and are asked when a collector asks.
/// What those did that have ended remains in the sums, so that a counter does not go back when one is
/// replaced.</remarks>
internal static class GatewayMetrics
{
    public const string Export = "export", Import = "import", Topic = "topic";

    private static readonly Dictionary<object, (Key Key, Func<GatewayPart> Look)> _live = []; // its own lock
    private static readonly Dictionary<Key, GatewayPart> _past = []; // under the same one
    private static readonly Meter _meter = Create();

    /// <summary>A part has begun.</summary>
    /// <param name="part">It, until it ends.</param>
    /// <param name="kind">What it is.</param>
    /// <param name="name">Its name on this machine.</param>
    /// <param name="service">Its name at the broker.</param>
    /// <param name="look">On any thread.</param>
    public static void Add(object part, string kind, string name, string service, Func<GatewayPart> look)
    {
        _ = _meter; // there from the first one on
        lock (_live)
            _live[part] = (new Key(kind, name, service), look);
    }

    /// <summary>It has ended. Any number of times.</summary>
    public static void Remove(object part)
    {
        lock (_live)
        {
            if (!_live.Remove(part, out (Key Key, Func<GatewayPart> Look) ended))
                return;
            GatewayPart did = ended.Look().Ended();
            _past[ended.Key] = _past.TryGetValue(ended.Key, out GatewayPart? before) ? before.With(did) : did;
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
            "Calls and streams that came to an export, or that an import has handed on.");
        meter.CreateObservableCounter(
            "ipc.gateway.calls.refused", () => Of(exports, static part => part.Refused), "{call}",
            "Calls that an export does not let pass.");
        meter.CreateObservableUpDownCounter(
            "ipc.gateway.calls.pending", () => Of(exports, static part => part.UnderWay), "{call}",
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
            "ipc.gateway.serving", () => Of(static _ => true, static part => part.Serving), "{part}",
            "1 for a part that serves, 0 for one that does not.");
        return meter;
    }

    private static Dictionary<Key, GatewayPart> Parts()
    {
        lock (_live)
        {
            Dictionary<Key, GatewayPart> parts = new(_past);
            foreach ((Key key, Func<GatewayPart> look) in _live.Values)
                parts[key] = parts.TryGetValue(key, out GatewayPart? before) ? before.With(look()) : look();
            return parts;
        }
    }

    private static List<Measurement<long>> Of(Func<Key, bool> which, Func<GatewayPart, long> number)
    {
        List<Measurement<long>> measured = [];
        foreach ((Key key, GatewayPart part) in Parts())
        {
            if (which(key))
                measured.Add(key.Measure(number(part)));
        }

        return measured;
    }

    private static List<Measurement<long>> Messages()
    {
        List<Measurement<long>> measured = [];
        foreach ((Key key, GatewayPart part) in Parts())
        {
            if (key.Kind != Topic)
                continue;
            measured.Add(key.Measure(part.Sent, new KeyValuePair<string, object?>("network.io.direction", "transmit")));
            measured.Add(key.Measure(
                part.Received, new KeyValuePair<string, object?>("network.io.direction", "receive")));
        }

        return measured;
    }

    /// <summary>Which part a number is of.</summary>
    private readonly record struct Key(string Kind, string Name, string Service)
    {
        public Measurement<long> Measure(long number, params KeyValuePair<string, object?>[] more) => new(
            number,
            [
                new("ipc.gateway.kind", Kind),
                new("ipc.name", Name),
                new("ipc.gateway.service", Service),
                .. more,
            ]);
    }
}
