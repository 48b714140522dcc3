using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting.Tests;

/// <summary>Handles payments of a queue and of a topic.</summary>
public sealed class PaymentHandler : IQueueHandler<Payment>, ITopicHandler<Payment>
{
    private readonly Till _till;

    public PaymentHandler(Till till)
    {
        _till = till;
        till.Handlers.Enqueue(this);
    }

    public async ValueTask HandleAsync(Payment message, QueueDelivery delivery, CancellationToken cancellationToken)
    {
        if (_till.Does is { } does)
            await does(message, delivery.Attempt, cancellationToken);
        _till.Taken.Enqueue((message, delivery));
    }

    public async ValueTask HandleAsync(Payment message, TopicDelivery delivery, CancellationToken cancellationToken)
    {
        if (_till.Does is { } does)
            await does(message, delivery.Attempt, cancellationToken);
        _till.Read.Enqueue(delivery);
    }
}
