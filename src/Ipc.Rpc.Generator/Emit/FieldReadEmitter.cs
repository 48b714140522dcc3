using System.Globalization;

namespace Ipc.Rpc.Generator;

/// <summary>A field while it is read: a local, the cases of the switch that fill it, the expression of its final value.</summary>
internal static class FieldReadEmitter
{
    public static void Declare(SourceWriter source, FieldModel field)
    {
        source.Line(LocalType(field) + " " + Local(field) + " = " + Initial(field) + ";");
        if (!field.IsRepeated && field.Value.Kind.IsMessage())
            source.Line("int " + At(Local(field)) + " = 0;");
    }

    public static void Cases(SourceWriter source, FieldModel field)
    {
        string local = Local(field);
        ValueModel value = field.Value;
        string tag = FieldWriteEmitter.Tag(field.Number, field.IsMap ? 2 : value.Kind.WireType());
        source.Line("case " + tag + ":");
        source.Indent();
        if (field.IsMap)
        {
            MapEntry(source, field, local);
        }
        else if (!field.IsRepeated)
        {
            Single(source, value, local, tag, field.IsOptional);
        }
        else if (field.IsPacked)
        {
            source.Line(local + ".Add(" + Read(value) + ");");
            source.Line("break;");
            source.Outdent();
            source.Line("case " + FieldWriteEmitter.Tag(field.Number, 2) + ":");
            source.Indent();
            PackedBlock(source, field, local);
        }
        else
        {
            source.Line("if (" + local + ".IsFull)");
            source.Indent();
            source.Line(local + ".Reserve(reader.CountAhead(" + tag + "));");
            source.Outdent();
            Assign(source, value, local, "Add");
        }

        source.Line("break;");
        source.Outdent();
    }

    /// <summary>What goes into the constructor, the initializer or the result.</summary>
    public static string Final(FieldModel field)
    {
        string local = Local(field);
        if (field.IsRepeated)
            return Repeated(field, local);
        bool nullMessage = field.Value.Kind == ProtoKind.Message && field.Value.IsReference && !field.IsOptional;
        if (field.Value.Kind == ProtoKind.Uri && !field.IsOptional)
            return local + " ?? global::Ipc.Rpc.ProtoReader.EmptyUri";
        return nullMessage ? local + "!" : local;
    }

    private static string Repeated(FieldModel field, string local)
    {
        string gathered = field.IsMap ? local : local + (field.Shape.IsBuiltAsArray() ? ".ToArray" : ".ToList");
        if (!field.Shape.IsMade())
        {
            if (field.IsMap)
                return field.IsOptional ? local : local + " ?? new " + Dictionary(field) + "()";
            return gathered + (field.IsOptional ? "OrNull()" : "()");
        }

        if (!field.IsOptional)
            return FieldShapes.Make(field, field.IsMap ? local + " ?? new " + Dictionary(field) + "()" : gathered + "()");

        string items = "items" + field.Number.ToString(CultureInfo.InvariantCulture);
        string none = field.Shape == FieldShape.ImmutableArray ? "default(" + field.Type + ")" : "null";
        return (field.IsMap ? local : gathered + "OrNull()") + " is { } " + items + " ? " + FieldShapes.Make(field, items) + " : " + none;
    }

    public static string Local(FieldModel field) => "f" + field.Number.ToString(CultureInfo.InvariantCulture);

    private static void PackedBlock(SourceWriter source, FieldModel field, string local)
    {
        if (field.Value.Kind.IsFixed())
        {
            source.Line("reader.ReadPackedFixed<" + field.Value.Type + ", " + LocalType(field) + ">(ref " + local + ");");
            return;
        }

        source.Open();
        source.Line("int outer = reader.StartPacked();");
        source.Line(local + ".Reserve(reader.CountVarints());");
        source.Line("while (reader.HasMore)");
        source.Indent();
        source.Line(local + ".Add(" + Read(field.Value) + ");");
        source.Outdent();
        source.Line("reader.EndPacked(outer);");
        source.Close();
    }

    private static void MapEntry(SourceWriter source, FieldModel field, string local)
    {
        ValueModel key = field.Key!;
        ValueModel value = field.Value;
        bool nullable = value.Kind == ProtoKind.Message && value.IsReference;
        source.Open();
        source.Line("int outer = reader.StartMessage();");
        source.Line(key.Type + " key = " + Default(key) + ";");
        source.Line(value.Type + (nullable ? "?" : "") + " item = " + DefaultInMap(value) + ";");
        if (value.Kind.IsMessage())
            source.Line("int " + At("item") + " = 0;");
        source.Open("while (reader.TryReadTag(out uint entryTag))");
        source.Open("switch (entryTag)");
        Case(source, key, "key", 1);
        Case(source, value, "item", 2);
        source.Line("default:");
        source.Indent();
        source.Line("reader.SkipField(entryTag);");
        source.Line("break;");
        source.Outdent();
        source.Close();
        source.Close();
        source.Line("reader.EndMessage(outer);");
        source.Line("(" + local + " ?? (" + local + " = new " + Dictionary(field) + "()))[key] = item" + (nullable ? " ?? " + value.Reader + "Codec.ReadEmpty()" : "") + ";");
        source.Close();
    }

    private static void Case(SourceWriter source, ValueModel value, string local, int number)
    {
        string tag = FieldWriteEmitter.Tag(number, value.Kind.WireType());
        source.Line("case " + tag + ":");
        source.Indent();
        Single(source, value, local, tag, isOptional: false);
        source.Line("break;");
        source.Outdent();
    }

    /// <summary>A field that is not repeated: the last one counts. Of a message, all pieces together do.</summary>
    private static void Single(SourceWriter source, ValueModel value, string local, string tag, bool isOptional)
    {
        if (!value.Kind.IsMessage())
        {
            Assign(source, value, local, "");
            return;
        }

        string before = value.IsReference ? local + "!" : local + (isOptional ? ".GetValueOrDefault()" : "");
        string merge = value.Kind == ProtoKind.Message
            ? "Merge<" + value.Type + ">(" + tag + ", " + At(local) + ", " + before + ", " + value.Reader + "Codec.Read)"
            : "Merge" + value.Reader + "(" + tag + ", " + At(local) + ", " + before + ")";
        source.Open("if (reader.IsFirstPiece(" + At(local) + "))");
        source.Line(At(local) + " = reader.Position;");
        Assign(source, value, local, "", braces: false, tag);
        source.Close();
        source.Open("else");
        source.Line(local + " = reader." + merge + ";");
        source.Line(At(local) + " = -1;");
        source.Close();
    }

    /// <summary>The local that says where a field of type message was met.</summary>
    private static string At(string local) => local + "At";

    private static void Assign(SourceWriter source, ValueModel value, string local, string method, bool braces = true, string tag = "")
    {
        string Store(string expression) => method.Length == 0 ? local + " = " + expression + ";" : local + "." + method + "(" + expression + ");";
        if (value.Kind != ProtoKind.Message)
        {
            source.Line(Store(value.Kind == ProtoKind.DateOnly ? "reader.ReadDateOnly(" + tag + ")" : Read(value)));
            return;
        }

        if (braces)
            source.Open();
        source.Line("int end = reader.StartMessage();");
        source.Line(Store(Read(value)));
        source.Line("reader.EndMessage(end);");
        if (braces)
            source.Close();
    }

    private static string Read(ValueModel value) => value.Kind switch
    {
        ProtoKind.Message => value.Reader + "Codec.Read(ref reader)",
        ProtoKind.Enum => "(" + value.Type + ")reader.Read" + value.Reader + "()",
        _ => "reader.Read" + value.Reader + "()",
    };

    private static string LocalType(FieldModel field)
    {
        if (field.IsMap)
            return Dictionary(field) + "?";
        if (field.IsRepeated)
            return "global::Ipc.Rpc.Repeated" + (field.Shape.IsBuiltAsArray() ? "Array<" : "List<") + field.Value.Type + ">";
        bool isNullable = field.IsOptional || (field.Value.IsReference && field.Value.Kind is ProtoKind.Message or ProtoKind.Uri);
        return field.Value.Type + (isNullable ? "?" : "");
    }

    private static string Initial(FieldModel field)
        => field.IsRepeated ? (field.IsMap ? "null" : "default") : field.IsOptional || field.Value.Kind == ProtoKind.Uri ? "null" : Default(field.Value);

    private static string Default(ValueModel value) => value.Kind switch
    {
        ProtoKind.String => "\"\"",
        ProtoKind.Bytes when !value.IsMemory => "global::System.Array.Empty<byte>()",
        ProtoKind.Message when value.IsReference => "null",
        ProtoKind.Message when value.HasEmpty => value.Reader + "Codec.ReadEmpty()",
        ProtoKind.Uri => "global::Ipc.Rpc.ProtoReader.EmptyUri",
        _ => "default",
    };

    /// <summary>An entry without a value has the empty message as value. Of a Timestamp that is 1970, while an absent field reads as default.</summary>
    private static string DefaultInMap(ValueModel value) => value.Kind switch
    {
        ProtoKind.Timestamp => "new global::System.DateTime(621355968000000000L, global::System.DateTimeKind.Utc)",
        ProtoKind.DateTimeOffset => "new global::System.DateTimeOffset(621355968000000000L, global::System.TimeSpan.Zero)",
        _ => Default(value),
    };

    private static string Dictionary(FieldModel field)
        => "global::System.Collections.Generic.Dictionary<" + field.Key!.Type + ", " + field.Value.Type + ">";
}
