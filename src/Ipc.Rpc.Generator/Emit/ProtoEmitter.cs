using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The contract as a .proto file, for protoc 3.15 or later (explicit presence).</summary>
internal static class ProtoEmitter
{
    public static IEnumerable<string> Lines(ContractModel contract)
    {
        yield return "// Generated from the C# contract " + contract.Interface.Replace("global::", "") + ", which is the source: change that.";
        yield return "syntax = \"proto3\";";
        yield return "";
        yield return "package " + contract.ServiceName + ";";

        List<string> imports = Imports(contract);
        if (imports.Count > 0)
            yield return "";
        foreach (string import in imports)
            yield return "import \"google/protobuf/" + import + ".proto\";";

        foreach (MessageModel message in contract.Messages)
        {
            yield return "";
            if (message.Fields.Count == 0)
            {
                yield return "message " + message.Name + " {}";
                continue;
            }

            yield return "message " + message.Name + " {";
            foreach (FieldModel field in message.Fields)
                yield return "  " + Type(field) + " " + field.ProtoName + " = " + Number(field.Number) + ";";
            yield return "}";
        }

        foreach (EnumModel type in contract.Enums)
        {
            yield return "";
            yield return "enum " + type.Name + " {";
            if (type.HasAliases)
                yield return "  option allow_alias = true;";
            foreach (EnumValueModel value in type.Values)
                yield return "  " + value.Name + " = " + Number(value.Number) + ";";
            yield return "}";
        }

        yield return "";
        yield return "service " + contract.ProtoService + " {";
        foreach (MethodModel method in contract.Methods)
            yield return "  rpc " + method.WireName + " (" + method.Request.ProtoType + ") returns (" + (method.IsStream ? "stream " : "") + method.Response.ProtoType + ");";
        yield return "}";
    }

    private static string Type(FieldModel field)
    {
        if (field.IsMap)
            return "map<" + field.Key!.ProtoType + ", " + field.Value.ProtoType + ">";
        if (field.IsRepeated)
            return "repeated " + field.Value.ProtoType;
        return (field.IsOptional && !field.Value.Kind.IsMessage() ? "optional " : "") + field.Value.ProtoType;
    }

    private static List<string> Imports(ContractModel contract)
    {
        var imports = new List<string>();
        IEnumerable<ValueModel> values = contract.Messages.SelectMany(static m => m.Fields).Select(static f => f.Value);
        if (values.Any(static v => v.Kind == ProtoKind.Duration))
            imports.Add("duration");
        if (contract.Methods.Any(static m => m.Request.Message is null || m.Response.Message is null))
            imports.Add("empty");
        if (values.Any(static v => v.Kind == ProtoKind.Timestamp))
            imports.Add("timestamp");
        return imports;
    }

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
