using System.Threading;
using System.Threading.Tasks;
using Ipc.Hosting;

namespace Snippets;

// snippet: handler
internal sealed class OrderHandler : IQueueHandler<Order>
{
    public ValueTask HandleAsync(Order order, QueueDelivery delivery, CancellationToken cancellationToken)
    {
        Handled.TrySetResult($"{order.Sku}: {order.Count}"); // it may come again: delivery.Attempt, delivery.Redelivered
        return default;
    }
    // end-snippet

    public static TaskCompletionSource<string> Handled { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
}
