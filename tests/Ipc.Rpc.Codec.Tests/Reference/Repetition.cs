using System.Collections.Generic;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Ipc.Rpc.Codec.Tests.Reference;

/// <summary>Finds payloads in which a message that is not in a list occurs twice: there the last one wins here, and protoc's classes merge.</summary>
internal static class Repetition
{
    public static bool IsIn(byte[] payload, MessageDescriptor type)
    {
        var seen = new HashSet<int>();
        var input = new CodedInputStream(payload);
        for (uint tag = input.ReadTag(); tag != 0; tag = input.ReadTag())
        {
            FieldDescriptor? field = type.FindFieldByNumber(WireFormat.GetTagFieldNumber(tag));
            if (field?.FieldType != FieldType.Message || WireFormat.GetTagWireType(tag) != WireFormat.WireType.LengthDelimited)
                input.SkipLastField();
            else if ((!field.IsRepeated && !seen.Add(field.FieldNumber)) || IsIn(input.ReadBytes().ToByteArray(), field.MessageType))
                return true;
        }

        return false;
    }
}
