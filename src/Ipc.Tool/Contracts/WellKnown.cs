using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>Messages that every .proto may use and none defines.</summary>
internal static class WellKnown
{
    public const string Empty = "google.protobuf.Empty", Timestamp = "google.protobuf.Timestamp", Duration = "google.protobuf.Duration", Any = "google.protobuf.Any";

    public static IEnumerable<MessageType> Types
    {
        get
        {
            yield return new MessageType(Empty);
            yield return Seconds(Timestamp);
            yield return Seconds(Duration);
            var any = new MessageType(Any);
            any.Fields.Add(new MessageField { Number = 1, Name = "type_url", JsonName = "typeUrl", Kind = ProtoKind.String });
            any.Fields.Add(new MessageField { Number = 2, Name = "value", JsonName = "value", Kind = ProtoKind.Bytes });
            yield return any;
        }
    }

    private static MessageType Seconds(string name)
    {
        var type = new MessageType(name);
        type.Fields.Add(new MessageField { Number = 1, Name = "seconds", JsonName = "seconds", Kind = ProtoKind.Int64 });
        type.Fields.Add(new MessageField { Number = 2, Name = "nanos", JsonName = "nanos", Kind = ProtoKind.Int32 });
        return type;
    }
}
