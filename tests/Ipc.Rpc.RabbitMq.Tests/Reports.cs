using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What is traced meanwhile.</summary>
internal sealed class Reports : TraceListener
{
    private readonly ConcurrentQueue<string> _all = new();

    public Reports() => Trace.Listeners.Add(this);

    /// <summary>Is there one with all these words?</summary>
    public bool Find(params string[] words) => _all.Any(each => words.All(word => each.Contains(word, StringComparison.Ordinal)));

    public override void Write(string? message) => _all.Enqueue(message ?? "");

    public override void WriteLine(string? message) => _all.Enqueue(message ?? "");

    protected override void Dispose(bool disposing)
    {
        Trace.Listeners.Remove(this);
        base.Dispose(disposing);
    }
}
