using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>Publishes messages to a topic; any thread. The container has it by its type.</summary>
/// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
public sealed class TopicPublisher<TMessage>
{
    private readonly MessageDecoder<TMessage> _codec;

    internal TopicPublisher(TopicWriter writer, MessageCodec<TMessage>? codec)
    {
        Writer = writer;
        _codec = new MessageDecoder<TMessage>(codec);
    }

    /// <summary>The topic's writer, which the container closes.</summary>
    public TopicWriter Writer { get; }

    /// <summary>Publishes, waiting for reliable readers that are behind.</summary>
    /// <param name="message">What all readers get.</param>
    /// <param name="key">What it replaces the last message of, for readers of the latest.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="ProtoException">The message is not expressible.</exception>
    /// <exception cref="IpcException">It is too large; the topic was stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was published.</exception>
    public async ValueTask PublishAsync(TMessage message, ulong key = 0, CancellationToken cancellationToken = default)
    {
        using EncodedMessage encoded = _codec.Encode(message);
        await Writer.PublishAsync(encoded.Bytes, 0, key, cancellationToken).ConfigureAwait(false);
    }
}
