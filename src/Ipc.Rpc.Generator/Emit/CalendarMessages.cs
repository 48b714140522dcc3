using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>What stands in a .proto for DateTimeOffset, DateOnly and TimeOnly, which protobuf does not have.</summary>
/// <remarks>Plain messages of the contract's own package, with the fields of google.protobuf.Timestamp, google.type.Date and google.type.TimeOfDay
/// under their numbers: every protoc reads them, and google/type, which protoc does not bring, is not needed (ADR 16).</remarks>
internal static class CalendarMessages
{
    private static readonly (ProtoKind Kind, string[] Lines)[] _all =
    {
        (ProtoKind.DateTimeOffset, new[]
        {
            "// A moment, as google.protobuf.Timestamp has it, and by how much the clock that was read was ahead of UTC.",
            "message DateTimeOffset {",
            "  int64 seconds = 1;",
            "  int32 nanos = 2;",
            "  sint32 offset_minutes = 3;",
            "}",
        }),
        (ProtoKind.DateOnly, new[]
        {
            "// A day, as google.type.Date has it. Without fields it is 0001-01-01.",
            "message DateOnly {",
            "  int32 year = 1;",
            "  int32 month = 2;",
            "  int32 day = 3;",
            "}",
        }),
        (ProtoKind.TimeOnly, new[]
        {
            "// A time of day, as google.type.TimeOfDay has it.",
            "message TimeOnly {",
            "  int32 hours = 1;",
            "  int32 minutes = 2;",
            "  int32 seconds = 3;",
            "  int32 nanos = 4;",
            "}",
        }),
    };

    /// <summary>Those that the contract uses, each behind an empty line.</summary>
    public static IEnumerable<string> Used(ContractModel contract)
    {
        foreach ((ProtoKind kind, string[] lines) in _all)
        {
            if (!contract.Messages.Any(m => m.Fields.Any(f => f.Value.Kind == kind)))
                continue;
            yield return "";
            foreach (string line in lines)
                yield return line;
        }
    }
}
