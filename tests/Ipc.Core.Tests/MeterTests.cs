using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The meter "Ipc.Core": what a collector of metrics sees of this process's queues and topics.</summary>
public sealed class MeterTests : TopicTest
{
    private readonly Dictionary<string, long> _seen = new(); // "instrument name"; counters are added up, the others replaced
    private readonly MeterListener _listener = new();

    public MeterTests()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Ipc.Core")
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            lock (_seen)
            {
                string key = instrument.Name + " " + tags[0].Value;
                Assert.Equal("ipc.name", tags[0].Key);
                bool measuredAlready = instrument.IsObservable && !_seen.TryAdd(key, value);
                Assert.False(measuredAlready, key + " was told twice");
                if (!instrument.IsObservable)
                    _seen[key] = _seen.GetValueOrDefault(key) + value;
            }
        });
        _listener.Start();
        Own(_listener);
    }

    [Fact]
    public void TheNumbersOfAQueueAreToldOnceHoweverOftenItIsOpen()
    {
        var options = new QueueOptions { BlockSize = 64, BlockCount = 4, LoanBudget = 0 };
        using var first = SharedQueue.Open("meter.queue", options);
        using (var second = SharedQueue.Open("meter.queue", options))
        {
            Assert.True(first.TrySend("a"u8));
            Assert.True(first.TrySend("b"u8));
            Assert.True(second.TryReceive(out _)); // and not released: it comes again
            Assert.Equal((1, 0), (Observed("ipc.queue.depth meter.queue"), Observed("ipc.queue.redelivered meter.queue")));
        }

        Assert.Equal((1, 1), (Observed("ipc.queue.depth meter.queue"), Observed("ipc.queue.redelivered meter.queue")));
        Assert.Equal((1, 0), (Observed("ipc.queue.segments meter.queue"), Observed("ipc.queue.dropped meter.queue")));
    }

    [Fact]
    public void WhatIsClosedIsToldNoMore()
    {
        SharedQueue.Open("meter.closed", new QueueOptions { LoanBudget = 0 }).Dispose();
        TopicWriter writer = Writer();
        string topic = "ipc.topic.written " + writer.Region.Name;
        Publish(writer, 0, 3);
        Assert.Equal(3, Observed(topic));
        writer.Dispose();
        Observe();
        Assert.DoesNotContain(_seen.Keys, key => key == topic || key.EndsWith("meter.closed", StringComparison.Ordinal));
    }

    [Fact]
    public void WhatALossyReaderMissesIsCounted()
    {
        TopicWriter writer = Writer();
        TopicReader reader = Reader(TopicPolicy.Lossy);
        Publish(writer, 0, 5 * Slots);
        Assert.Equal(5 * Slots, Observed("ipc.topic.behind " + reader.Region.Name));
        int got = Drain(reader).Length;
        Assert.Equal(5 * Slots - got, _seen["ipc.topic.lost " + reader.Region.Name]);
        Assert.Equal(reader.Lost, _seen["ipc.topic.lost " + reader.Region.Name]);
    }

    [Fact]
    public void ADeathThatThisProcessHasCleanedUpForIsCounted()
    {
        using RingReader reader = RingReader.Open("meter.ring", Small());
        Driven writer = Own(Driven.StartVerb(Language.CSharp, Regions, "ring-hold", "meter.ring", "writer"));
        Assert.Equal("ready", writer.NextLine());
        Background waiting = Run(() => Assert.Equal(IpcStatus.PeerDied, reader.Read(out _, Deadline.Never)));
        writer.Kill();
        waiting.Join();
        Eventually(() => _seen.GetValueOrDefault("ipc.participant.deaths meter.ring") == 1);
    }

    private int Observed(string key)
    {
        Observe();
        lock (_seen)
            return (int)_seen[key];
    }

    private void Observe()
    {
        lock (_seen)
        {
            foreach (string key in _seen.Keys.Where(static key => !key.StartsWith("ipc.topic.lost ", StringComparison.Ordinal) && !key.StartsWith("ipc.participant", StringComparison.Ordinal)).ToList())
                _seen.Remove(key);
        }

        _listener.RecordObservableInstruments();
    }

    private void Eventually(Func<bool> holds)
    {
        Deadline watchdog = Hang;
        while (true)
        {
            lock (_seen)
            {
                if (holds())
                    return;
            }

            Assert.False(watchdog.HasPassed, "the count did not come");
            System.Threading.Thread.Yield();
        }
    }
}
