using System;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ipc.Tool;

/// <summary>Messages as hexadecimal, as text, or decoded by a contract.</summary>
internal sealed class MessagePrinter(Terminal terminal, string format, MessageType? type, int most, bool json)
{
    private const int RowBytes = 16;
    private static readonly JsonSerializerOptions s_line = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private static readonly UTF8Encoding s_strict = new(false, throwOnInvalidBytes: true);

    public void Print(TappedMessage message)
    {
        if (json)
            PrintJson(message);
        else
            PrintText(message);
        terminal.Out.Flush();
    }

    private void PrintText(TappedMessage message)
    {
        var head = new StringBuilder();
        head.Append(CultureInfo.InvariantCulture, $"{(message.Segment is { } segment ? $"{segment}:" : "")}{message.Position}  type {message.Type}  {message.Payload.Length} B");
        if (message.Key is { } key)
            head.Append(CultureInfo.InvariantCulture, $"  key {key}");
        if (message.Writer is { } writer)
            head.Append(CultureInfo.InvariantCulture, $"  from {writer}");
        if (message.Redelivered == true)
            head.Append("  redelivered");
        if (message.IsLoan)
            head.Append("  loan");
        JsonNode? decoded = type is null ? null : ProtoToJson.Decode(type, message.Payload);
        if (decoded is not null)
            head.Append("  ").Append(Tame.Json(decoded.ToJsonString(s_line)));
        else if (type is not null)
            head.Append("  (no ").Append(type.FullName).Append(')');
        bool isText = decoded is null && (format == "text" || (format == "auto" && IsText(message.Payload)));
        if (isText)
            head.Append("  ").Append(Text(message.Payload));
        terminal.Out.WriteLine(Tame.Line(head.ToString()));
        if (decoded is null && !isText)
            PrintHex(message.Payload);
    }

    private void PrintJson(TappedMessage message)
    {
        JsonNode? decoded = type is null ? null : ProtoToJson.Decode(type, message.Payload);
        var line = new JsonObject { ["position"] = message.Position, ["type"] = message.Type, ["length"] = message.Payload.Length };
        if (message.Segment is { } segment)
            line["segment"] = segment;
        if (message.Key is { } key)
            line["key"] = key;
        if (message.Writer is { } writer)
            line["writer"] = writer;
        if (message.Redelivered == true)
            line["redelivered"] = true;
        if (decoded is not null)
            line["message"] = decoded;
        else if (format == "text" || (format == "auto" && IsText(message.Payload)))
            line["text"] = Encoding.UTF8.GetString(message.Payload);
        else
            line["hex"] = Convert.ToHexString(message.Payload);
        terminal.Out.WriteLine(Tame.Json(line.ToJsonString(s_line)));
    }

    private void PrintHex(byte[] payload)
    {
        int shown = Math.Min(payload.Length, most);
        for (int row = 0; row < shown; row += RowBytes)
        {
            ReadOnlySpan<byte> bytes = payload.AsSpan(row, Math.Min(RowBytes, shown - row));
            var line = new StringBuilder();
            line.Append(CultureInfo.InvariantCulture, $"    {row:x4}  ");
            foreach (byte one in bytes)
                line.Append(CultureInfo.InvariantCulture, $"{one:x2} ");
            line.Append(' ', 3 * (RowBytes - bytes.Length) + 1);
            foreach (byte one in bytes)
                line.Append(one is >= 0x20 and < 0x7F ? (char)one : '.');
            terminal.Out.WriteLine(line);
        }

        if (shown < payload.Length)
            terminal.Out.WriteLine($"    and {payload.Length - shown} more (--max)");
    }

    private string Text(byte[] payload) => payload.Length <= most
        ? Encoding.UTF8.GetString(payload)
        : Encoding.UTF8.GetString(payload.AsSpan(0, most)) + $"... and {payload.Length - most} more (--max)";

    private static bool IsText(byte[] payload)
    {
        if (payload.Length == 0)
            return false;
        try
        {
            foreach (char character in s_strict.GetString(payload))
            {
                if (char.IsControl(character) && character is not ('\n' or '\r' or '\t'))
                    return false;
            }

            return true;
        }
        catch (DecoderFallbackException)
        {
            return false;
        }
    }
}
