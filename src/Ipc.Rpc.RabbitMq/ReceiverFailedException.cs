using System;
using System.Runtime.ExceptionServices;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The receiver of an answer's metadata has thrown, within an attempt.</summary>
internal sealed class ReceiverFailedException(ExceptionDispatchInfo ofReceiver)
    : Exception("The receiver of the answer's metadata failed.", ofReceiver.SourceException)
{
    public ExceptionDispatchInfo OfReceiver { get; } = ofReceiver;
}
