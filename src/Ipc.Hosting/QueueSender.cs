using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Hosting;

/// <summary>Sends messages to a queue; any thread. The container has it by its type.</summary>
/// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
public sealed class QueueSender<TMessage>
{
    private readonly MessageDecoder<TMessage> _codec;

    internal QueueSender(SharedQueue queue, MessageCodec<TMessage>? codec)
    {
        Queue = queue;
        _codec = new MessageDecoder<TMessage>(codec);
    }

    /// <summary>The queue, which the container closes.</summary>
    public SharedQueue Queue { get; }

    /// <summary>Sends, as soon as there is room.</summary>
    /// <exception cref="ProtoException">The message is not expressible.</exception>
    /// <exception cref="IpcException">It is too large; the queue was stopped.</exception>
    /// <exception cref="OperationCanceledException">Cancelled; nothing was sent.</exception>
    public async ValueTask SendAsync(TMessage message, CancellationToken cancellationToken = default)
    {
        using EncodedMessage encoded = _codec.Encode(message);
        await Queue.SendAsync(encoded.Bytes, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Sends if there is room now.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    /// <exception cref="ProtoException">The message is not expressible.</exception>
    /// <exception cref="IpcException">It is too large.</exception>
    public bool TrySend(TMessage message)
    {
        using EncodedMessage encoded = _codec.Encode(message);
        return Queue.TrySend(encoded.Bytes.Span);
    }
}
