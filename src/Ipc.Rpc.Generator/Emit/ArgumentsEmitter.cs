using System.Globalization;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The struct that holds the parameters of a method with several.</summary>
/// <remarks>Public fields that can be set, with the standard attributes: so other serializers read and write it as they do the user's own messages.</remarks>
internal static class ArgumentsEmitter
{
    private const string Attributes = "global::System.Runtime.Serialization.";

    public static void Emit(SourceWriter source, MessageModel message, string accessibility)
    {
        source.Line("/// <summary>The arguments of a call: a message on the wire only.</summary>");
        source.Line("[" + Attributes + "DataContract]");
        source.Open(accessibility + " struct " + message.Name);
        foreach (FieldModel field in message.Fields)
        {
            source.Line("/// <summary>The argument <c>" + field.ProtoName + "</c>.</summary>");
            source.Line("[" + Attributes + "DataMember(Order = " + field.Number.ToString(CultureInfo.InvariantCulture) + ")]");
            source.Line("public " + field.Type + " " + CSharpNames.Escape(field.Member) + ";");
            source.Line();
        }

        source.Open("internal " + message.Name + "(" + string.Join(", ", message.Fields.Select(static f => f.Type + " " + FieldReadEmitter.Local(f))) + ")");
        foreach (FieldModel field in message.Fields)
            source.Line("this." + CSharpNames.Escape(field.Member) + " = " + FieldReadEmitter.Local(field) + ";");
        source.Close();
        source.Close();
    }
}
