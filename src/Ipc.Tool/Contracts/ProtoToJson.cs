using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;

namespace Ipc.Tool;

/// <summary>A message as JSON, by protobuf's own mapping: 64-bit numbers are texts, bytes base64, times RFC 3339.</summary>
/// <remarks>A field without presence is there with its default; what the contract does not know stands under <c>#number</c>.</remarks>
internal static class ProtoToJson
{
    private const int MaxDepth = 100;

    /// <summary>Null when the bytes are no such message.</summary>
    public static JsonNode? Decode(MessageType type, ReadOnlySpan<byte> bytes) => Message(type, bytes, 0);

    private static JsonNode? Message(MessageType type, ReadOnlySpan<byte> bytes, int depth)
    {
        if (depth > MaxDepth)
            return null;
        var found = new Dictionary<int, JsonNode?>();
        var unknown = new SortedDictionary<int, JsonNode?>();
        var reader = new WireReader(bytes);
        while (reader.HasMore)
        {
            if (!reader.TryTag(out int number, out uint wireType) || !reader.TryValue(wireType, out ulong value, out ReadOnlySpan<byte> block))
                return null;
            MessageField? field = type.Numbered(number);
            if (field is null)
                unknown[number] = wireType == 2 ? Convert.ToBase64String(block) : value.ToString(CultureInfo.InvariantCulture);
            else if (!Take(found, field, wireType, value, block, depth))
                return null;
        }

        if (type.FullName is WellKnown.Timestamp or WellKnown.Duration)
        {
            long seconds = Number(found, 1), nanos = Number(found, 2);
            return type.FullName == WellKnown.Timestamp ? WellKnownJson.Timestamp(seconds, nanos) : WellKnownJson.Duration(seconds, nanos);
        }

        var json = new JsonObject();
        foreach (MessageField field in type.Fields)
        {
            if (found.TryGetValue(field.Number, out JsonNode? node))
                json[field.JsonName] = node;
            else if (field.IsRepeated)
                json[field.JsonName] = field.Kind == ProtoKind.Map ? new JsonObject() : new JsonArray();
            else if (!field.HasPresence)
                json[field.JsonName] = Default(field);
        }

        foreach ((int number, JsonNode? node) in unknown)
            json["#" + number.ToString(CultureInfo.InvariantCulture)] = node;
        return json;
    }

    private static bool Take(Dictionary<int, JsonNode?> found, MessageField field, uint wireType, ulong value, ReadOnlySpan<byte> block, int depth)
    {
        if (field.Kind == ProtoKind.Map)
            return wireType == 2 && TakeEntry(found, field, block, depth);
        if (field.IsRepeated && field.IsPackable && wireType == 2)
        {
            JsonArray many = Many(found, field);
            var packed = new WireReader(block);
            while (packed.HasMore)
            {
                if (!packed.TryValue(field.WireType, out ulong one, out _))
                    return false;
                many.Add(Scalar(field, one, default));
            }

            return true;
        }

        if (wireType != field.WireType)
            return true; // as the codecs do: a known number of another type is skipped
        JsonNode? node = field.Kind == ProtoKind.Message ? Message(field.Message!, block, depth + 1) : Scalar(field, value, block);
        if (node is null)
            return false;
        if (field.IsRepeated)
            Many(found, field).Add(node);
        else
            found[field.Number] = node;
        return true;
    }

    private static bool TakeEntry(Dictionary<int, JsonNode?> found, MessageField field, ReadOnlySpan<byte> block, int depth)
    {
        if (Message(field.Message!, block, depth + 1) is not JsonObject entry)
            return false;
        if (!found.TryGetValue(field.Number, out JsonNode? map))
            found[field.Number] = map = new JsonObject();
        JsonNode? value = entry["value"];
        entry.Remove("value");
        map![entry["key"]?.ToString() ?? ""] = value ?? new JsonObject();
        return true;
    }

    private static JsonArray Many(Dictionary<int, JsonNode?> found, MessageField field)
    {
        if (found.TryGetValue(field.Number, out JsonNode? node))
            return (JsonArray)node!;
        var many = new JsonArray();
        found[field.Number] = many;
        return many;
    }

    private static JsonNode? Scalar(MessageField field, ulong value, ReadOnlySpan<byte> block) => field.Kind switch
    {
        ProtoKind.Double => Real(BitConverter.UInt64BitsToDouble(value)),
        ProtoKind.Float => Real(BitConverter.UInt32BitsToSingle((uint)value)),
        ProtoKind.Int32 or ProtoKind.SFixed32 => (int)value,
        ProtoKind.UInt32 or ProtoKind.Fixed32 => (uint)value,
        ProtoKind.Int64 or ProtoKind.SFixed64 => ((long)value).ToString(CultureInfo.InvariantCulture),
        ProtoKind.UInt64 or ProtoKind.Fixed64 => value.ToString(CultureInfo.InvariantCulture),
        ProtoKind.SInt32 => (int)((uint)value >> 1) ^ -(int)(value & 1),
        ProtoKind.SInt64 => ((long)(value >> 1) ^ -(long)(value & 1)).ToString(CultureInfo.InvariantCulture),
        ProtoKind.Bool => value != 0,
        ProtoKind.String => Encoding.UTF8.GetString(block),
        ProtoKind.Bytes => Convert.ToBase64String(block),
        ProtoKind.Enum => field.Enum!.Numbered((int)value) is { } named ? named.Name : (JsonNode)(int)value,
        _ => null,
    };

    /// <summary>JSON has no numbers for what is none.</summary>
    private static JsonNode Real(double value) => double.IsFinite(value) ? value : double.IsNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";

    private static JsonNode Real(float value) => float.IsFinite(value) ? value : Real((double)value);

    private static JsonNode? Default(MessageField field) => Scalar(field, 0, default);

    private static long Number(Dictionary<int, JsonNode?> found, int number) => found.TryGetValue(number, out JsonNode? node) && node is not null
        ? long.Parse(node.ToString(), CultureInfo.InvariantCulture)
        : 0;
}
