using System.Globalization;

namespace Ipc.Rpc.Generator;

/// <summary>The statements that write a field, or nothing when it has its default.</summary>
internal static class FieldWriteEmitter
{
    public static void Emit(SourceWriter source, FieldModel field, string access, string messageName)
    {
        string local = "f" + field.Number.ToString(CultureInfo.InvariantCulture);
        bool isUnwrapped = field.Shape == FieldShape.ImmutableArray && field.IsOptional;
        source.Line("var " + local + " = " + access + (isUnwrapped ? ".GetValueOrDefault()" : "") + ";");
        if (field.IsMap)
            Map(source, field, local, messageName);
        else if (field.IsPacked)
            Packed(source, field, local);
        else if (field.IsRepeated)
            Repeated(source, field, local, messageName);
        else
            Single(source, field, local);
    }

    /// <summary>The tag as a literal: the writer's methods fold it into constant bytes.</summary>
    public static string Tag(int number, uint wireType)
        => (((uint)number << 3) | wireType).ToString(CultureInfo.InvariantCulture) + "u";

    private static void Single(SourceWriter source, FieldModel field, string local)
    {
        ValueModel value = field.Value;
        string content = local;
        string? condition;
        if (field.IsOptional)
        {
            condition = value.IsReference ? "!(" + local + " is null)" : local + ".HasValue";
            content = value.IsReference ? local : local + ".GetValueOrDefault()";
        }
        else
        {
            condition = NotDefault(value, local);
        }

        source.Open(condition is null ? null : "if (" + condition + ")");
        Value(source, value, content, field.Number);
        source.Close();
    }

    private static void Repeated(SourceWriter source, FieldModel field, string local, string messageName)
    {
        source.Open("if (" + Present(field, local) + ")");
        source.Open(Loop(field, local));
        if (field.Shape.IsIndexed())
            source.Line("var item = " + local + "[i];");
        RefuseNull(source, field, "item", messageName);
        Value(source, field.Value, Known(field.Value, "item"), field.Number);
        source.Close();
        source.Close();
    }

    private static void Packed(SourceWriter source, FieldModel field, string local)
    {
        string tag = Tag(field.Number, 2);
        string count = local + "." + field.Shape.Count();
        source.Open("if (" + Present(field, local) + " && " + count + " != 0)");
        if (field.Value.Kind.IsFixed() && field.Shape is FieldShape.Array or FieldShape.List)
        {
            source.Line("writer.WritePackedFixed<" + field.Value.Type + ">(" + tag + ", " + local + ");");
        }
        else
        {
            source.Line("int start = writer.StartPacked(" + tag + ", " + count + ");");
            source.Line(Loop(field, local));
            source.Indent();
            source.Line("writer.Append" + Method(field.Value) + "(" + Cast(field.Value) + (field.Shape.IsIndexed() ? local + "[i]" : "item") + ");");
            source.Outdent();
            source.Line("writer.EndMessage(start);");
        }

        source.Close();
    }

    private static string Present(FieldModel field, string local) => field.Shape == FieldShape.ImmutableArray ? "!" + local + ".IsDefault" : local + " != null";

    private static string Loop(FieldModel field, string local)
        => field.Shape.IsIndexed() ? "for (int i = 0; i < " + local + "." + field.Shape.Count() + "; i++)" : "foreach (var item in " + local + ")";

    private static void Map(SourceWriter source, FieldModel field, string local, string messageName)
    {
        string map = field.Shape != FieldShape.MapInterface ? local : "global::Ipc.Rpc.MapSource.From<" + field.Key!.Type + ", " + field.Value.Type + ">(" + local + ")";
        source.Open("if (" + local + " != null)");
        source.Open("foreach (var entry in " + map + ")");
        source.Line("var key = entry.Key;");
        source.Line("var item = entry.Value;");
        RefuseNull(source, field, "item", messageName);
        source.Line("int start = writer.StartMessage(" + Tag(field.Number, 2) + ");");
        Entry(source, field.Key!, "key", 1);
        Entry(source, field.Value, Known(field.Value, "item"), 2);
        source.Line("writer.EndMessage(start);");
        source.Close();
        source.Close();
    }

    /// <summary>Key or value of a map entry: as Google.Protobuf for C# writes it, without defaults; but text is always written.</summary>
    private static void Entry(SourceWriter source, ValueModel value, string local, int number)
    {
        string? condition = value.Kind is ProtoKind.Guid or ProtoKind.Decimal || value.Kind.IsMessage() ? null : NotDefault(value, local);
        if (condition is null)
        {
            Value(source, value, local, number);
            return;
        }

        source.Open("if (" + condition + ")");
        Value(source, value, local, number);
        source.Close();
    }

    private static void Value(SourceWriter source, ValueModel value, string local, int number)
    {
        string tag = Tag(number, value.Kind.WireType());
        switch (value.Kind)
        {
            case ProtoKind.Message:
                source.Line("int body = writer.StartMessage(" + tag + ");");
                source.Line(value.Reader + "Codec.Write(ref writer, " + local + ");");
                source.Line("writer.EndMessage(body);");
                break;
            case ProtoKind.Bytes when value.IsMemory:
                source.Line("writer.WriteBytes(" + tag + ", " + local + ".Span);");
                break;
            default:
                source.Line("writer.Write" + Method(value) + "(" + tag + ", " + Cast(value) + local + ");");
                break;
        }
    }

    private static void RefuseNull(SourceWriter source, FieldModel field, string local, string messageName)
    {
        if (!field.Value.IsReference)
            return;

        source.Line("if (" + local + " is null)"); // not ==, which the type may define
        source.Indent();
        source.Line("writer.ThrowNullElement(\"" + messageName + "." + field.Member + "\");");
        source.Outdent();
    }

    /// <summary>The condition under which a field without explicit presence is written; <see langword="null"/> for always.</summary>
    private static string? NotDefault(ValueModel value, string local) => value.Kind switch
    {
        ProtoKind.Bool => local,
        ProtoKind.String => "!string.IsNullOrEmpty(" + local + ")",
        ProtoKind.Bytes when value.IsMemory => "!" + local + ".IsEmpty",
        ProtoKind.Bytes => local + " != null && " + local + ".Length != 0",
        ProtoKind.Message => value.IsReference ? "!(" + local + " is null)" : null,
        ProtoKind.Timestamp or ProtoKind.Duration => local + ".Ticks != 0",
        ProtoKind.DateTimeOffset => local + ".UtcTicks != 0 || " + local + ".Offset.Ticks != 0",
        ProtoKind.DateOnly => local + ".DayNumber != 0",
        ProtoKind.TimeOnly => local + ".Ticks != 0",
        ProtoKind.Uri => "!(" + local + " is null) && " + local + ".OriginalString.Length != 0",
        ProtoKind.Guid => local + " != global::System.Guid.Empty",
        ProtoKind.Decimal => local + " != 0m",
        ProtoKind.Enum => local + " != 0",
        ProtoKind.Float => "global::Ipc.Rpc.ProtoWriter.IsNotZero(" + local + ")",
        ProtoKind.Double => "global::Ipc.Rpc.ProtoWriter.IsNotZero(" + local + ")",
        _ => local + " != 0",
    };

    private static string Known(ValueModel value, string local) => value.IsReference ? local + "!" : local;

    private static string Method(ValueModel value) => value.Kind == ProtoKind.Enum ? "Int32" : value.Kind.ToString();

    private static string Cast(ValueModel value) => value.Kind == ProtoKind.Enum ? "(int)" : "";
}
