using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>The contract as a .proto file, for protoc 3.15 or later (explicit presence).</summary>
internal static class ProtoEmitter
{
    /// <summary>The whole file; its lines end in "\n", whatever the machine.</summary>
    public static string Text(ContractModel contract) => string.Join("\n", Lines(contract)) + "\n";

    /// <summary>The interface as the head of the file has it.</summary>
    public static string Origin(string interfaceCode) => interfaceCode.Replace("global::", "");

    public static IEnumerable<string> Lines(ContractModel contract)
    {
        yield return "// Generated from the C# contract " + Origin(contract.Interface) + ", which is the source: change that.";
        yield return "syntax = \"proto3\";";
        yield return "";
        yield return "package " + contract.ServiceName + ";";

        List<string> imports = Imports(contract);
        if (imports.Count > 0)
            yield return "";
        foreach (string import in imports)
            yield return "import \"" + import + "\";";
        foreach (MessageModel message in contract.Messages.Where(static m => m.Form == MessageForm.Google && m.Import.Length == 0))
            yield return "// The file of " + message.ProtoType + ", a message of another assembly, is to be imported here; its package is not known either.";

        var wrappers = new HashSet<string>();
        foreach (MessageModel message in contract.Messages.Where(static m => m.Form != MessageForm.Google))
        {
            if (message.Form == MessageForm.Wrapper && !wrappers.Add(message.ProtoType))
                continue; // another C# container of the same elements
            yield return "";
            if (message.Fields.Count == 0 && message.Reserved.Count == 0)
            {
                yield return "message " + message.ProtoType + " {}";
                continue;
            }

            yield return "message " + message.ProtoType + " {";
            if (message.Reserved.Count > 0)
                yield return Reserved(message.Reserved);
            foreach (FieldModel field in message.Fields)
                yield return "  " + Type(field) + " " + field.ProtoName + " = " + Number(field.Number) + ";";
            yield return "}";
        }

        foreach (string line in CalendarMessages.Used(contract))
            yield return line;

        foreach (EnumModel type in contract.Enums)
        {
            yield return "";
            yield return "enum " + type.Name + " {";
            if (type.HasAliases)
                yield return "  option allow_alias = true;";
            if (type.Reserved.Count > 0)
                yield return Reserved(type.Reserved);
            foreach (EnumValueModel value in type.Values)
                yield return "  " + value.Name + " = " + Number(value.Number) + ";";
            yield return "}";
        }

        yield return "";
        if (contract.Callback is not null)
            yield return "// ipc: callback " + contract.Callback.ServiceName;
        yield return "service " + contract.ProtoService + " {";
        foreach (MethodModel method in contract.Methods)
            yield return Rpc(contract, method);
        yield return "}";
    }

    /// <summary>What protobuf's own language cannot say about a method stands in a comment, which the comparison with the checked-in file reads.</summary>
    private static string Rpc(ContractModel contract, MethodModel method)
    {
        string input = method.Input is null ? InService(contract, method.Request.ProtoType) : "stream " + InService(contract, method.Input.ProtoType);
        string output = (method.IsStream ? "stream " : "") + InService(contract, method.Response.ProtoType);
        var notes = new List<string>();
        if (method.Input is not null && method.Request.Message is not null)
            notes.Add("request " + method.Request.ProtoType);
        if (method.Progress is not null)
            notes.Add("progress " + method.Progress.ProtoType);
        if (method.IsOneWay)
            notes.Add("one-way");
        return "  rpc " + method.WireName + " (" + input + ") returns (" + output + ");" + (notes.Count == 0 ? "" : " // ipc: " + string.Join(", ", notes));
    }

    /// <summary>Within a service protoc takes the name of a method for the method, not for the message of that name: <c>OrderAsync(Order order)</c>.</summary>
    private static string InService(ContractModel contract, string type)
        => contract.Methods.Any(method => method.WireName == type) ? "." + contract.ServiceName + "." + type : type;

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
        var imports = new SortedSet<string>(System.StringComparer.Ordinal);
        IEnumerable<ValueModel> values = contract.Messages.SelectMany(static m => m.Fields).Select(static f => f.Value);
        if (values.Any(static v => v.Kind == ProtoKind.Duration))
            imports.Add("google/protobuf/duration.proto");
        if (contract.Methods.Any(static m => (m.Request.Message is null && m.Input is null) || m.Response.Message is null))
            imports.Add("google/protobuf/empty.proto");
        if (values.Any(static v => v.Kind == ProtoKind.Timestamp))
            imports.Add("google/protobuf/timestamp.proto");
        foreach (MessageModel message in contract.Messages.Where(static m => m.Import.Length > 0))
            imports.Add(message.Import);
        return imports.ToList();
    }

    private static string Reserved(EquatableArray<int> numbers) => "  reserved " + string.Join(", ", numbers.Select(Number)) + ";";

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
