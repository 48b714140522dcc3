using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting;

/// <summary>Handles the messages of a queue, one at a time; <see cref="IpcWorkerServiceCollectionExtensions"/> adds it to a host.</summary>
/// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
public interface IQueueHandler<TMessage>
{
    /// <summary>Handles a message. When the task ends the message is released; when it throws, it is called again with the same message, as <see cref="QueueWorkerOptions"/> say.</summary>
    /// <param name="message">The message, a copy.</param>
    /// <param name="delivery">Where it comes from, and which attempt this is.</param>
    /// <param name="cancellationToken">Fires when the host stops and its shutdown timeout has passed.</param>
    ValueTask HandleAsync(TMessage message, QueueDelivery delivery, CancellationToken cancellationToken);
}
