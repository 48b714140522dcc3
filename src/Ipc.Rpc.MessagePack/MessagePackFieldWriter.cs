using System.Buffers;
using MessagePack;

namespace Ipc.Rpc;

/// <summary>Elements of an array whose header has been written.</summary>
internal sealed class MessagePackFieldWriter : IMessageFieldWriter
{
    private readonly IBufferWriter<byte> _destination;
    private readonly MessagePackSerializerOptions _options;

    public MessagePackFieldWriter(IBufferWriter<byte> destination, MessagePackSerializerOptions options)
    {
        _destination = destination;
        _options = options;
    }

    public void Write<TField>(int number, in TField value) => MessagePackSerializer.Serialize(_destination, value, _options);
}
