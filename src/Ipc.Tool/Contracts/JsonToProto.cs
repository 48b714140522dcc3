using System;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using Ipc.Rpc.Generator;

namespace Ipc.Tool;

/// <summary>A message from JSON, by protobuf's own mapping; names of fields in either spelling.</summary>
internal static class JsonToProto
{
    private const int MaxDepth = 100;

    public static byte[] Encode(MessageType type, string json)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(json, new JsonDocumentOptions { AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip, MaxDepth = MaxDepth });
            var writer = new WireWriter();
            Message(writer, type, document.RootElement, type.FullName, 0);
            return writer.Written.ToArray();
        }
        catch (JsonException error)
        {
            throw new ToolException(ExitCode.Usage, $"the message is no JSON: {error.Message}");
        }
    }

    private static void Message(WireWriter writer, MessageType type, JsonElement json, string path, int depth)
    {
        if (type.FullName == WellKnown.Timestamp && json.ValueKind == JsonValueKind.String)
            WellKnownJson.WriteTimestamp(writer, json.GetString()!, path);
        else if (type.FullName == WellKnown.Duration && json.ValueKind == JsonValueKind.String)
            WellKnownJson.WriteDuration(writer, json.GetString()!, path);
        else if (json.ValueKind != JsonValueKind.Object)
            throw Wrong(path, json, "an object");
        else
        {
            foreach (JsonProperty property in json.EnumerateObject())
            {
                MessageField field = type.Named(property.Name) ?? throw new ToolException(ExitCode.Usage,
                    $"{path} has no field \"{property.Name}\"; it has {(type.Fields.Count == 0 ? "none" : string.Join(", ", type.Fields.Select(static one => one.JsonName)))}.");
                if (property.Value.ValueKind != JsonValueKind.Null) // absent
                    Field(writer, field, property.Value, path + "." + property.Name, depth + 1);
            }
        }
    }

    private static void Field(WireWriter writer, MessageField field, JsonElement json, string path, int depth)
    {
        if (depth > MaxDepth)
            throw new ToolException(ExitCode.Usage, $"{path} is nested more than {MaxDepth} times.");
        if (field.Kind == ProtoKind.Map)
        {
            Map(writer, field, json, path, depth);
            return;
        }

        if (!field.IsRepeated)
        {
            writer.Tag(field.Number, field.WireType);
            Value(writer, field, json, path, depth);
            return;
        }

        if (json.ValueKind != JsonValueKind.Array)
            throw Wrong(path, json, "an array");
        if (json.GetArrayLength() == 0)
            return;
        var packed = new WireWriter();
        int index = 0;
        foreach (JsonElement element in json.EnumerateArray())
        {
            if (!field.IsPackable)
                writer.Tag(field.Number, field.WireType);
            Value(field.IsPackable ? packed : writer, field, element, $"{path}[{index++}]", depth);
        }

        if (field.IsPackable)
        {
            writer.Tag(field.Number, 2);
            writer.Block(packed.Written);
        }
    }

    private static void Map(WireWriter writer, MessageField field, JsonElement json, string path, int depth)
    {
        if (json.ValueKind != JsonValueKind.Object)
            throw Wrong(path, json, "an object");
        foreach (JsonProperty entry in json.EnumerateObject())
        {
            var pair = new WireWriter();
            MessageField key = field.Message!.Fields[0], value = field.Message.Fields[1];
            pair.Tag(1, key.WireType);
            using (JsonDocument name = JsonDocument.Parse(JsonSerializer.Serialize(entry.Name)))
                Value(pair, key, name.RootElement, path + " (a key)", depth);
            pair.Tag(2, value.WireType);
            Value(pair, value, entry.Value, $"{path}.{entry.Name}", depth);
            writer.Tag(field.Number, 2);
            writer.Block(pair.Written);
        }
    }

    private static void Value(WireWriter writer, MessageField field, JsonElement json, string path, int depth)
    {
        switch (field.Kind)
        {
            case ProtoKind.Double: writer.Fixed64(BitConverter.DoubleToUInt64Bits(Real(json, path))); break;
            case ProtoKind.Float: writer.Fixed32(BitConverter.SingleToUInt32Bits((float)Real(json, path))); break;
            case ProtoKind.Int32: writer.Varint((ulong)Whole(json, path, int.MinValue, int.MaxValue)); break;
            case ProtoKind.Int64: writer.Varint((ulong)Whole(json, path, long.MinValue, long.MaxValue)); break;
            case ProtoKind.UInt32: writer.Varint((ulong)Whole(json, path, 0, uint.MaxValue)); break;
            case ProtoKind.UInt64: writer.Varint(Unsigned(json, path)); break;
            case ProtoKind.SInt32 or ProtoKind.SInt64:
                long zigzag = field.Kind == ProtoKind.SInt32 ? Whole(json, path, int.MinValue, int.MaxValue) : Whole(json, path, long.MinValue, long.MaxValue);
                writer.Varint((ulong)(zigzag << 1 ^ zigzag >> 63));
                break;
            case ProtoKind.Fixed32: writer.Fixed32((uint)Whole(json, path, 0, uint.MaxValue)); break;
            case ProtoKind.SFixed32: writer.Fixed32((uint)(int)Whole(json, path, int.MinValue, int.MaxValue)); break;
            case ProtoKind.Fixed64: writer.Fixed64(Unsigned(json, path)); break;
            case ProtoKind.SFixed64: writer.Fixed64((ulong)Whole(json, path, long.MinValue, long.MaxValue)); break;
            case ProtoKind.Bool: writer.Varint(Truth(json, path) ? 1UL : 0); break;
            case ProtoKind.String: writer.Text(json.ValueKind == JsonValueKind.String ? json.GetString()! : throw Wrong(path, json, "a text")); break;
            case ProtoKind.Bytes:
                writer.Block(json.ValueKind == JsonValueKind.String && json.TryGetBytesFromBase64(out byte[]? bytes) ? bytes : throw Wrong(path, json, "bytes as base64"));
                break;
            case ProtoKind.Enum: writer.Varint((ulong)EnumValue(field, json, path)); break;
            default:
                var nested = new WireWriter();
                Message(nested, field.Message!, json, path, depth);
                writer.Block(nested.Written);
                break;
        }
    }

    private static long EnumValue(MessageField field, JsonElement json, string path)
    {
        if (json.ValueKind != JsonValueKind.String)
            return Whole(json, path, int.MinValue, int.MaxValue);
        ProtoEntry? named = field.Enum!.Named(json.GetString()!);
        return named?.Number ?? throw Wrong(path, json, "one of " + string.Join(", ", field.Enum.Entries.Select(static entry => entry.Name)));
    }

    private static bool Truth(JsonElement json, string path) => json.ValueKind switch
    {
        JsonValueKind.True => true,
        JsonValueKind.False => false,
        JsonValueKind.String when json.GetString() is "true" or "false" => json.GetString() == "true",
        _ => throw Wrong(path, json, "true or false"),
    };

    private static double Real(JsonElement json, string path)
    {
        if (json.ValueKind == JsonValueKind.Number)
            return json.GetDouble();
        return json.ValueKind == JsonValueKind.String && double.TryParse(json.GetString(), NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
            ? value // NaN, Infinity and -Infinity, too
            : throw Wrong(path, json, "a number");
    }

    private static long Whole(JsonElement json, string path, long least, long most)
    {
        string? text = json.ValueKind switch { JsonValueKind.Number => json.GetRawText(), JsonValueKind.String => json.GetString(), _ => null };
        return decimal.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out decimal value) && value == decimal.Truncate(value) && value >= least && value <= most
            ? (long)value
            : throw Wrong(path, json, $"a whole number from {least} to {most}");
    }

    private static ulong Unsigned(JsonElement json, string path)
    {
        string? text = json.ValueKind switch { JsonValueKind.Number => json.GetRawText(), JsonValueKind.String => json.GetString(), _ => null };
        return decimal.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out decimal value) && value == decimal.Truncate(value) && value is >= 0 and <= ulong.MaxValue
            ? (ulong)value
            : throw Wrong(path, json, $"a whole number from 0 to {ulong.MaxValue}");
    }

    private static ToolException Wrong(string path, JsonElement json, string expected) =>
        new(ExitCode.Usage, $"{path} is {json.GetRawText()}; {expected} was expected.");
}
