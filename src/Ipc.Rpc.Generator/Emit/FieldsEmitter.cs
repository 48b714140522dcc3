using System.Globalization;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The last argument of the codec of parameters or of a bare result: its fields one by one, for serializers that know types and not methods.</summary>
internal static class FieldsEmitter
{
    public static void Emit(SourceWriter source, MessageModel message)
    {
        source.Line("fields: new global::Ipc.Rpc.MessageFields<" + message.Type + ">(");
        source.Indent();
        source.Line(message.Fields.Count.ToString(CultureInfo.InvariantCulture) + ",");
        source.Open("(global::Ipc.Rpc.IMessageFieldWriter target, in " + message.Type + " value) =>");
        foreach (FieldModel field in message.Fields)
        {
            string access = message.Form == MessageForm.Bare ? "value" : "value." + CSharpNames.Escape(field.Member);
            source.Line("target.Write<" + field.Type + ">(" + field.Number.ToString(CultureInfo.InvariantCulture) + ", in " + access + ");");
        }

        source.Close(",");
        string read = string.Join(", ", message.Fields.Select(Read));
        source.Line("source => " + (message.Form == MessageForm.Bare ? read : "new " + message.Type + "(" + read + ")") + "));");
        source.Outdent();
    }

    /// <summary>Absent reads as the default: the same one as in protobuf.</summary>
    private static string Read(FieldModel field)
    {
        string value = "source.Read<" + field.Type + ">(" + field.Number.ToString(CultureInfo.InvariantCulture) + ")";
        if (field.IsOptional)
            return value;

        if (field.Shape == FieldShape.ImmutableArray)
        {
            string array = "array" + field.Number.ToString(CultureInfo.InvariantCulture);
            return value + " is { IsDefault: false } " + array + " ? " + array + " : " + FieldShapes.Empty(field);
        }

        if (field.IsRepeated)
            return value + " ?? " + FieldShapes.Empty(field);

        return field.Value.Kind switch
        {
            ProtoKind.String => value + " ?? \"\"",
            ProtoKind.Bytes when !field.Value.IsMemory => value + " ?? global::System.Array.Empty<byte>()",
            ProtoKind.Uri => value + " ?? global::Ipc.Rpc.ProtoReader.EmptyUri",
            _ when field.Value.IsReference => value + "!",
            _ => value,
        };
    }
}
