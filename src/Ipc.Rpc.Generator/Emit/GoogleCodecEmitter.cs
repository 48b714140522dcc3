namespace Ipc.Rpc.Generator;

/// <summary>The codec of a class that protoc wrote: its own methods, without reflection; its exceptions become ours.</summary>
internal static class GoogleCodecEmitter
{
    private const string Google = "global::Google.Protobuf.";
    private const string Rpc = "global::Ipc.Rpc.";

    public static void Emit(SourceWriter source, MessageModel message)
    {
        source.Line("private static readonly " + Google + "MessageParser<" + message.Type + "> _parser = new " + Google + "MessageParser<" + message.Type + ">(() => new " + message.Type + "());");
        source.Line();
        source.Open("internal static void Write(ref " + Rpc + "ProtoWriter writer, " + message.Type + " value)");
        source.Open("try");
        source.Line(Google + "MessageExtensions.WriteTo(value, writer.Claim(value.CalculateSize()));");
        source.Close();
        Convert(source, message, "writer.Written", "written");
        source.Close();
        source.Line();
        source.Open("internal static " + message.Type + " Read(ref " + Rpc + "ProtoReader reader)");
        source.Line("int start = reader.Position;");
        source.Open("try");
        source.Line("return _parser.ParseFrom(reader.ReadToEnd());");
        source.Close();
        Convert(source, message, "start", "read");
        source.Close();
    }

    private static void Convert(SourceWriter source, MessageModel message, string offset, string verb)
    {
        source.Open("catch (global::System.Exception e) when (!(e is " + Rpc + "ProtoException))");
        source.Line("throw new " + Rpc + "ProtoException(" + Rpc + "ProtoError.SerializerFailed, " + offset + ", \"" + message.Name + " could not be " + verb + ": \" + e.Message, e);");
        source.Close();
    }
}
