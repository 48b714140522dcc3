using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Ipc.Rpc.Generator;

namespace Ipc.Grpc;

/// <summary>Writes a <c>FileDescriptorProto</c>. The numbers are those of
/// <c>google/protobuf/descriptor.proto</c>.</summary>
/// <remarks>Fields of a oneof are written as optional ones: the bytes of messages are the same.</remarks>
/// <param name="file">What is written.</param>
/// <param name="resolve">The full name of a type that is used in a scope, and whether it is an enum.</param>
internal sealed class DescriptorWriter(
    DescriptorFile file, Func<string, string, (string FullName, bool IsEnum)> resolve)
{
    private const int Optional = 1, Repeated = 3, MessageType = 11, EnumType = 14;
    private const string RepeatedHead = "repeated ", MapHead = "map<";

    /// <summary>At the place that is the number of the type, less one; messages, enums and groups have names of their
    /// own.</summary>
    private static readonly string[] _scalars =
    [
        "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "", "", "bytes", "uint32",
        "", "sfixed32", "sfixed64", "sint32", "sint64",
    ];

    /// <summary>The whole file.</summary>
    /// <param name="imports">What resolving has found out by the time that the types are written.</param>
    public byte[] Write(IEnumerable<string> imports)
    {
        WireWriter types = new();
        foreach (string name in Within(file.File.Messages, string.Empty))
            types.Message(4, message => Message(message, name));
        foreach (string name in Within(file.File.Enums, string.Empty))
            types.Message(5, one => Enum(one, name));
        if (file.Service is { } service)
            types.Message(6, one => Service(one, service));

        WireWriter whole = new();
        whole.Text(1, file.Name);
        whole.Text(2, file.File.Package);
        foreach (string import in imports)
            whole.Text(3, import);
        whole.Text(12, "proto3");
        return [.. whole.Written, .. types.Written];
    }

    /// <summary>What is declared in a message, or at the top: the names with no further dot.</summary>
    private static IEnumerable<string> Within(Dictionary<string, ProtoBlock> blocks, string outer) => blocks.Keys.Where(
        name => name.StartsWith(outer, StringComparison.Ordinal) && !name[outer.Length..].Contains('.'));

    private static string Last(string name) => name[(name.LastIndexOf('.') + 1)..];

    private void Message(WireWriter message, string name)
    {
        ProtoBlock block = file.File.Messages[name];
        string scope = file.File.Package + "." + name;
        message.Text(1, Last(name));
        ProtoEntry[] optional = [.. block.Entries.Where(static entry => entry.HasPresence)];
        foreach (ProtoEntry entry in block.Entries)
            message.Message(2, field => Field(field, entry, scope, Array.IndexOf(optional, entry)));
        foreach (string inner in Within(file.File.Messages, name + "."))
            message.Message(3, one => Message(one, inner));
        foreach (ProtoEntry entry in block.Entries.Where(static entry => IsMap(entry)))
            message.Message(3, pair => Pair(pair, entry, scope));
        foreach (string inner in Within(file.File.Enums, name + "."))
            message.Message(4, one => Enum(one, inner));
        foreach (ProtoEntry entry in optional)
            message.Message(8, oneof => oneof.Text(1, "_" + entry.Name));
    }

    private static bool IsMap(ProtoEntry entry) => entry.Type.StartsWith(MapHead, StringComparison.Ordinal);

    /// <param name="field">Where it goes.</param>
    /// <param name="entry">The field.</param>
    /// <param name="scope">The message's full name.</param>
    /// <param name="oneof">The place of the oneof that an optional field has to itself; -1 for others.</param>
    private void Field(WireWriter field, ProtoEntry entry, string scope, int oneof)
    {
        bool isRepeated = entry.Type.StartsWith(RepeatedHead, StringComparison.Ordinal);
        Head(field, entry.Name, entry.Number, isRepeated || IsMap(entry));
        if (IsMap(entry))
        {
            field.Number(5, MessageType);
            field.Text(6, "." + scope + "." + PairName(entry.Name));
        }
        else
        {
            Type(field, isRepeated ? entry.Type[RepeatedHead.Length..] : entry.Type, scope);
        }

        if (oneof >= 0)
        {
            field.Number(9, oneof);
            field.Flag(17, true);
        }
    }

    /// <summary>An entry of a map: a message of key and value, nested in the one that has the map.</summary>
    private void Pair(WireWriter pair, ProtoEntry map, string scope)
    {
        string[] sides = map.Type[MapHead.Length..].TrimEnd('>').Split(", ", 2);
        pair.Text(1, PairName(map.Name));
        for (int i = 0; i < 2; i++)
        {
            string side = sides[i];
            int number = i + 1;
            pair.Message(2, field =>
            {
                Head(field, number == 1 ? "key" : "value", number, isRepeated: false);
                Type(field, side, scope);
            });
        }

        pair.Message(7, static options => options.Flag(7, true));
    }

    private static void Head(WireWriter field, string name, int number, bool isRepeated)
    {
        field.Text(1, name);
        field.Number(3, number);
        field.Number(4, isRepeated ? Repeated : Optional);
        field.Text(10, Joined(name, upperFirst: false));
    }

    private void Type(WireWriter field, string type, string scope)
    {
        int scalar = Array.IndexOf(_scalars, type);
        if (scalar >= 0)
        {
            field.Number(5, scalar + 1);
            return;
        }

        (string fullName, bool isEnum) = resolve(type, scope);
        field.Number(5, isEnum ? EnumType : MessageType);
        field.Text(6, "." + fullName);
    }

    private void Enum(WireWriter target, string name)
    {
        ProtoBlock block = file.File.Enums[name];
        target.Text(1, Last(name));
        foreach (ProtoEntry entry in block.Entries)
        {
            target.Message(2, value =>
            {
                value.Text(1, entry.Name);
                value.Number(2, entry.Number);
            });
        }

        if (block.Entries.DistinctBy(static entry => entry.Number).Count() < block.Entries.Count)
            target.Message(3, static options => options.Flag(2, true));
    }

    private void Service(WireWriter service, string name)
    {
        service.Text(1, name);
        string scope = file.File.Package;
        foreach ((string method, ProtoRpc rpc) in file.File.Methods)
        {
            service.Message(2, one =>
            {
                one.Text(1, method);
                one.Text(2, "." + resolve(rpc.Input.Length > 0 ? rpc.Input : rpc.Request, scope).FullName);
                one.Text(3, "." + resolve(rpc.Output, scope).FullName);
                one.Flag(5, rpc.Input.Length > 0);
                one.Flag(6, rpc.IsOutputStream);
            });
        }
    }

    /// <summary>As protoc names it: <c>part_counts</c> becomes <c>PartCountsEntry</c>.</summary>
    private static string PairName(string field) => Joined(field, upperFirst: true) + "Entry";

    /// <summary>Without underscores; what follows one is upper case.</summary>
    private static string Joined(string name, bool upperFirst)
    {
        StringBuilder joined = new(name.Length);
        bool upper = upperFirst;
        foreach (char c in name)
        {
            if (c == '_')
            {
                upper = true;
                continue;
            }

            joined.Append(upper ? char.ToUpper(c, CultureInfo.InvariantCulture) : c);
            upper = false;
        }

        return joined.ToString();
    }
}
