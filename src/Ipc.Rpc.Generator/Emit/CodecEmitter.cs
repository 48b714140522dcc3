using System.Collections.Generic;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>A nested class per message: Write, Read, and the instance that describes it to the runtime.</summary>
internal static class CodecEmitter
{
    public static void Emit(SourceWriter source, MessageModel message)
    {
        bool isClass = message.IsReference && message.Form is MessageForm.Declared or MessageForm.Google;
        bool byReference = message.Form == MessageForm.Declared ? !message.IsReference : message.Form is MessageForm.Arguments or MessageForm.Tuple;
        string parameter = (byReference ? "in " : "") + message.Type + " ";

        source.Open("private static class " + message.Codec);
        if (message.Form != MessageForm.Wrapper) // which is never a message of its own
            Instance(source, message, isClass, byReference);
        if (message.Form == MessageForm.Google)
            GoogleCodecEmitter.Emit(source, message);
        else
            Functions(source, message, parameter);

        if (isClass || message.Form is MessageForm.Tuple or MessageForm.Wrapper)
        {
            source.Line();
            source.Open("internal static " + message.Type + " ReadEmpty()");
            source.Line("var reader = new global::Ipc.Rpc.ProtoReader(default);");
            source.Line("return Read(ref reader);");
            source.Close();
        }

        source.Close();
    }

    private static void Instance(SourceWriter source, MessageModel message, bool isClass, bool byReference)
    {
        source.Line("internal static readonly global::Ipc.Rpc.MessageCodec<" + message.Type + "> Instance = new global::Ipc.Rpc.MessageCodec<" + message.Type + ">(");
        source.Indent();
        source.Line("\"" + message.ProtoType.Substring(message.ProtoType.LastIndexOf('.') + 1) + "\",");
        source.Open("(ref global::Ipc.Rpc.ProtoWriter writer, in " + message.Type + " value) =>");
        if (isClass)
        {
            source.Line("if (value is null)");
            source.Indent();
            source.Line("writer.ThrowNullMessage(\"" + message.Name + "\");");
            source.Outdent();
            source.Line("Write(ref writer, value!);");
        }
        else
        {
            source.Line("Write(ref writer, " + (byReference ? "in " : "") + "value);");
        }

        source.Close(",");
        bool wireOnly = message.Form is MessageForm.Bare or MessageForm.Arguments;
        source.Line("(ref global::Ipc.Rpc.ProtoReader reader) => Read(ref reader),");
        source.Line("package: " + (message.Form == MessageForm.Google ? Package(message) : "ServiceName") + (wireOnly ? "," : ");"));
        if (wireOnly)
            FieldsEmitter.Emit(source, message);
        source.Outdent();
        source.Line();
    }

    private static void Functions(SourceWriter source, MessageModel message, string parameter)
    {
        source.Open("internal static void Write(ref global::Ipc.Rpc.ProtoWriter writer, " + parameter + (message.IsMutableStruct ? "source" : "value") + ")");
        if (message.IsMutableStruct)
            source.Line("var value = source; // once: each use of the parameter would copy it");
        foreach (FieldModel field in message.Fields)
            FieldWriteEmitter.Emit(source, field, message.Form is MessageForm.Bare or MessageForm.Wrapper ? "value" : "value." + CSharpNames.Escape(field.Member), message.Name);
        source.Close();
        source.Line();

        source.Open("internal static " + message.Type + " Read(ref global::Ipc.Rpc.ProtoReader reader)");
        foreach (FieldModel field in message.Fields)
            FieldReadEmitter.Declare(source, field);
        source.Open("while (reader.TryReadTag(out uint tag))");
        source.Open("switch (tag)");
        foreach (FieldModel field in message.Fields)
            FieldReadEmitter.Cases(source, field);
        source.Line("default:");
        source.Indent();
        source.Line("reader.SkipField(tag);");
        source.Line("break;");
        source.Outdent();
        source.Close();
        source.Close();
        source.Line();
        Result(source, message);
        source.Close();
    }

    /// <summary>The name that details carry is the one of the other .proto: without its dot in front, and split as ours is.</summary>
    private static string Package(MessageModel message)
    {
        int dot = message.ProtoType.LastIndexOf('.');
        return dot <= 0 ? "null" : "\"" + message.ProtoType.Substring(1, dot - 1) + "\"";
    }

    private static void Result(SourceWriter source, MessageModel message)
    {
        if (message.Form == MessageForm.Tuple)
        {
            source.Line("return (" + string.Join(", ", message.Fields.Select(FieldReadEmitter.Final)) + ");");
            return;
        }

        if (message.Form is MessageForm.Bare or MessageForm.Wrapper)
        {
            source.Line("return " + FieldReadEmitter.Final(message.Fields[0]) + ";");
            return;
        }

        if (message.Form == MessageForm.Arguments)
        {
            source.Line("return new " + message.Type + "(" + string.Join(", ", message.Fields.Select(FieldReadEmitter.Final)) + ");");
            return;
        }

        string head = "new " + message.Type + "(" + string.Join(", ", message.ConstructorFields.Select(n => FieldReadEmitter.Final(message.Fields.First(f => f.Number == n)))) + ")";
        List<FieldModel> set = message.Fields.Where(f => !message.ConstructorFields.Contains(f.Number) && !message.FilledFields.Contains(f.Number)).ToList();
        string tail = message.FilledFields.Count == 0 ? "return " : "var result = ";
        if (set.Count == 0)
        {
            source.Line(tail + head + ";");
        }
        else
        {
            source.Open(tail + head);
            foreach (FieldModel field in set)
                source.Line(CSharpNames.Escape(field.Member) + " = " + FieldReadEmitter.Final(field) + ",");
            source.Close(";");
        }

        foreach (FieldModel field in message.Fields.Where(f => message.FilledFields.Contains(f.Number)))
            Fill(source, field);
        if (message.FilledFields.Count != 0)
            source.Line("return result;");
    }

    /// <summary>A collection without a setter: the constructor has made it, the elements go into it.</summary>
    private static void Fill(SourceWriter source, FieldModel field)
    {
        string target = "result." + CSharpNames.Escape(field.Member);
        string local = FieldReadEmitter.Local(field);
        source.Open("if (" + local + (field.IsMap ? "" : ".ToListOrNull()") + " is { } items" + field.Number.ToString(System.Globalization.CultureInfo.InvariantCulture) + ")");
        source.Line("foreach (var item in items" + field.Number.ToString(System.Globalization.CultureInfo.InvariantCulture) + ")");
        source.Indent();
        source.Line(field.IsMap ? target + "[item.Key] = item.Value;" : target + ".Add(item);");
        source.Outdent();
        source.Close();
    }
}
