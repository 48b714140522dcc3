using System.Buffers;
using System.Buffers.Binary;

namespace Ipc.Rpc;

/// <summary>Fields behind their lengths: how a message of parameters is written in a format that says nothing about
/// it.</summary>
internal sealed class PrefixedFieldWriter : IMessageFieldWriter
{
    private readonly IpcSerializer _serializer;
    private readonly IBufferWriter<byte> _destination;

    public PrefixedFieldWriter(IpcSerializer serializer, IBufferWriter<byte> destination)
    {
        _serializer = serializer;
        _destination = destination;
    }

    public void Write<TField>(int number, in TField value)
    {
        SerializerBuffer buffer = SerializerBuffer.Rent(); // the length comes first and is known last
        try
        {
            _serializer.WriteOne(buffer, in value);
            BinaryPrimitives.WriteInt32LittleEndian(_destination.GetSpan(sizeof(int)), buffer.Written.Length);
            _destination.Advance(sizeof(int));
            _destination.Write(buffer.Written.Span);
        }
        finally
        {
            buffer.GiveBack();
        }
    }
}
