using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting;

/// <summary>Handles the messages of a topic, one after another, in their order; <see cref="IpcWorkerServiceCollectionExtensions"/> adds it to a host.</summary>
/// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
public interface ITopicHandler<TMessage>
{
    /// <summary>Handles a message. When it throws, it is called again with the same message as often as <see cref="IpcWorkerOptions.MaxAttempts"/> says, and then the next one comes.</summary>
    /// <param name="message">The message, a copy.</param>
    /// <param name="delivery">Where it comes from, and how many before it were missed.</param>
    /// <param name="cancellationToken">Fires when the host stops and its shutdown timeout has passed.</param>
    ValueTask HandleAsync(TMessage message, TopicDelivery delivery, CancellationToken cancellationToken);
}
