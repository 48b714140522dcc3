namespace Ipc.Rpc.Generator;

/// <summary>The static field that describes a method: its name, kind and codecs.</summary>
internal static class MethodEmitter
{
    public static void Emit(SourceWriter source, ContractModel contract, MethodModel method)
    {
        string kind = "global::Ipc.Rpc.RpcMethodKind." + method.Kind;
        string head = "ServiceName, \"" + method.WireName + "\", ";
        (string type, string arguments) = method switch
        {
            { Input: { } input } => ("RpcStreamMethod", kind + ", " + method.Request.Codec + ", " + input.Codec + ", " + method.Response.Codec),
            { Progress: { } progress } => ("RpcProgressMethod", method.Request.Codec + ", " + method.Response.Codec + ", " + progress.Codec),
            _ => ("RpcMethod", kind + ", " + method.Request.Codec + ", " + method.Response.Codec + (method.IsOneWay ? ", isOneWay: true" : "") + (method.IsIdempotent && method.Kind == CallKind.Unary && !method.IsOneWay ? ", isIdempotent: true" : "") + (method.IsOnce ? ", isOnce: true" : "")),
        };

        type = "global::Ipc.Rpc." + type + Types(method);
        source.Line();
        source.Line("/// <summary>The method <c>" + contract.ServiceName + "/" + method.WireName + "</c>.</summary>");
        source.Line(contract.Accessibility + " static readonly " + type + " " + CSharpNames.Escape(method.Field) + " = new " + type + "(");
        source.Indent();
        source.Line(head + arguments + ");");
        source.Outdent();
    }

    /// <summary>The type arguments of the method's descriptor and of its handler, in the order of both.</summary>
    public static string Types(MethodModel method)
    {
        string input = method.Input is null ? "" : ", " + method.Input.Type;
        string progress = method.Progress is null ? "" : ", " + method.Progress.Type;
        return "<" + method.Request.Type + input + ", " + method.Response.Type + progress + ">";
    }
}
