using System;
using MessagePack;

namespace Ipc.Rpc;

/// <summary>Elements of an array, from place 1 on. A shorter one is a request of an older client, a longer one of a newer.</summary>
internal sealed class MessagePackFieldReader : IMessageFieldReader
{
    private readonly MessagePackSerializerOptions _options;
    private ReadOnlyMemory<byte> _rest;
    private int _left;

    public MessagePackFieldReader(ReadOnlyMemory<byte> payload, MessagePackSerializerOptions options)
    {
        _options = options;
        var head = new MessagePackReader(payload);
        _left = head.ReadArrayHeader();
        _rest = payload.Slice((int)head.Consumed);
        Skip();
    }

    public TField? Read<TField>(int number)
    {
        if (_left == 0)
            return default;

        TField value = MessagePackSerializer.Deserialize<TField>(_rest, _options, out int length);
        _rest = _rest.Slice(length);
        _left--;
        return value;
    }

    /// <summary>Passes over what this side does not know, and makes sure that nothing comes behind it.</summary>
    public void SkipRest()
    {
        while (_left != 0)
            Skip();
        if (!_rest.IsEmpty)
            throw new MessagePackSerializationException("The fields of a message are followed by " + _rest.Length + " more bytes.");
    }

    private void Skip()
    {
        if (_left == 0)
            return;

        var reader = new MessagePackReader(_rest);
        reader.Skip();
        _rest = _rest.Slice((int)reader.Consumed);
        _left--;
    }
}
