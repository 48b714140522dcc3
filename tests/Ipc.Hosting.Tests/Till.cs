using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting.Tests;

/// <summary>What all handlers of a test have in common.</summary>
public sealed class Till
{
    public ConcurrentQueue<(Payment Payment, QueueDelivery Delivery)> Taken { get; } = new();

    public ConcurrentQueue<TopicDelivery> Read { get; } = new();

    /// <summary>What a handler does with a payment; nothing unless set.</summary>
    public Func<Payment, int, CancellationToken, Task>? Does { get; set; }

    public ConcurrentQueue<PaymentHandler> Handlers { get; } = new();
}
