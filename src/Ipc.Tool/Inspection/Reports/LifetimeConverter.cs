using System;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipc.Tool;

/// <summary>A lifetime is a text, also one that a damaged region has and that is none.</summary>
internal sealed class LifetimeConverter : JsonConverter<Lifetime>
{
    public override Lifetime Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => throw new NotSupportedException();

    public override void Write(Utf8JsonWriter writer, Lifetime value, JsonSerializerOptions options) => writer.WriteStringValue(value switch
    {
        Lifetime.WhileUsed => "while-used",
        Lifetime.UntilEmpty => "until-empty",
        _ => Human.Lifetime(value),
    });
}
