using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The struct that holds the parameters of a method with several.</summary>
internal static class ArgumentsEmitter
{
    public static void Emit(SourceWriter source, MessageModel message, string accessibility)
    {
        source.Line("/// <summary>The arguments of a call: a message on the wire only.</summary>");
        source.Open(accessibility + " readonly struct " + message.Name);
        foreach (FieldModel field in message.Fields)
            source.Line("internal readonly " + field.Type + " " + CSharpNames.Escape(field.Member) + ";");
        source.Line();
        source.Open("internal " + message.Name + "(" + string.Join(", ", message.Fields.Select(static f => f.Type + " " + FieldReadEmitter.Local(f))) + ")");
        foreach (FieldModel field in message.Fields)
            source.Line("this." + CSharpNames.Escape(field.Member) + " = " + FieldReadEmitter.Local(field) + ";");
        source.Close();
        source.Close();
    }
}
