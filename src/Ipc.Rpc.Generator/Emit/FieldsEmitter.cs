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

        return field.Shape switch
        {
            FieldShape.Array => value + " ?? global::System.Array.Empty<" + field.Value.Type + ">()",
            FieldShape.List or FieldShape.ListInterface => value + " ?? new global::System.Collections.Generic.List<" + field.Value.Type + ">()",
            FieldShape.Map or FieldShape.MapInterface => value + " ?? new global::System.Collections.Generic.Dictionary<" + field.Key!.Type + ", " + field.Value.Type + ">()",
            _ when field.Value.Kind == ProtoKind.String => value + " ?? \"\"",
            _ when field.Value.Kind == ProtoKind.Bytes && !field.Value.IsMemory => value + " ?? global::System.Array.Empty<byte>()",
            _ when field.Value.IsReference => value + "!",
            _ => value,
        };
    }
}
