using System.IO;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipc.Tool;

/// <summary>What <c>--json</c> prints. Names are camelCase, what does not apply is left out; the README lists them, and they stay.</summary>
internal static class Json
{
    private static readonly JsonSerializerOptions s_indented = Options(indented: true);
    private static readonly JsonSerializerOptions s_line = Options(indented: false);

    /// <summary>One document.</summary>
    public static void Write<T>(TextWriter output, T value) => output.WriteLine(Tame.Json(JsonSerializer.Serialize(value, s_indented)));

    /// <summary>One line of many.</summary>
    public static void WriteLine<T>(TextWriter output, T value) => output.WriteLine(Tame.Json(JsonSerializer.Serialize(value, s_line)));

    private static JsonSerializerOptions Options(bool indented)
    {
        var options = new JsonSerializerOptions
        {
            PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
            DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // it is not for a web page
            WriteIndented = indented,
        };
        options.Converters.Add(new JsonStringEnumConverter(JsonNamingPolicy.KebabCaseLower));
        return options;
    }
}
