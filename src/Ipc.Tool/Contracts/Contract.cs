using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc.Generator;

namespace Ipc.Tool;

/// <summary>Services and messages from one or more .proto files.</summary>
internal sealed class Contract
{
    private readonly List<ProtoFile> _files;
    private readonly Dictionary<string, MessageType> _messages = new(StringComparer.Ordinal);
    private readonly Dictionary<string, ProtoBlock> _enums = new(StringComparer.Ordinal);
    private readonly Dictionary<string, ProtoBlock> _blocks = new(StringComparer.Ordinal);
    private readonly HashSet<string> _filled = new(StringComparer.Ordinal);

    public Contract(IEnumerable<ProtoFile> files)
    {
        _files = [.. files];
        foreach (ProtoFile file in _files)
        {
            string prefix = file.Package.Length == 0 ? "" : file.Package + ".";
            foreach ((string name, ProtoBlock block) in file.Messages)
            {
                _blocks[prefix + name] = block;
                _messages[prefix + name] = new MessageType(prefix + name);
            }

            foreach ((string name, ProtoBlock block) in file.Enums)
                _enums[prefix + name] = block;
        }

        foreach (MessageType known in WellKnown.Types)
        {
            _messages.TryAdd(known.FullName, known);
            _filled.Add(known.FullName);
        }
    }

    /// <summary>The services: a contract's name on the wire is its package.</summary>
    public IEnumerable<string> Services => _files.Where(static file => file.Methods.Count > 0).Select(static file => file.Package);

    public IEnumerable<string> Messages => _blocks.Keys;

    public IEnumerable<ContractMethod> Methods => _files.SelectMany(file => file.Methods.Select(method => Method(file, method.Key, method.Value)));

    /// <summary>The method of that name, with or without its service. Throws what is wrong in words.</summary>
    public ContractMethod FindMethod(string name, string? service)
    {
        ContractMethod[] all = [.. Methods];
        ContractMethod[] found = [.. all.Where(method => (method.Name == name || method.Service + "/" + method.Name == name || method.Service + "." + method.Name == name) &&
            (service is null || method.Service == service))];
        return found.Length switch
        {
            1 => found[0],
            0 => throw new ToolException(ExitCode.NotFound, $"the contract has no method \"{name}\"{(service is null ? "" : " in " + service)}; it has {(all.Length == 0 ? "none" : string.Join(", ", all.Select(static method => method.Service + "/" + method.Name)))}."),
            _ => throw new ToolException(ExitCode.Usage, $"several services have a method \"{name}\": say {string.Join(" or ", found.Select(static method => method.Service + "/" + method.Name))}."),
        };
    }

    /// <summary>A message by its name, with or without its package.</summary>
    public MessageType FindMessage(string name)
    {
        string[] found = _blocks.ContainsKey(name) ? [name] : [.. _blocks.Keys.Where(full => full.EndsWith("." + name, StringComparison.Ordinal))];
        return found.Length switch
        {
            1 => Filled(found[0]),
            0 => throw new ToolException(ExitCode.NotFound, $"the contract has no message \"{name}\"; it has {string.Join(", ", _blocks.Keys)}."),
            _ => throw new ToolException(ExitCode.Usage, $"several messages are called \"{name}\": say {string.Join(" or ", found)}."),
        };
    }

    private ContractMethod Method(ProtoFile file, string name, ProtoRpc rpc) => new(this, file.Package, name, rpc);

    /// <summary>The message that a name means inside a package or message.</summary>
    public MessageType ResolveMessage(string name, string scope) => Resolve(name, scope, _messages.ContainsKey) is { } full
        ? Filled(full)
        : throw Unknown(name, scope);

    private static ToolException Unknown(string name, string scope) =>
        new(ExitCode.NotFound, $"{scope} uses {name}, which the contract does not define: give the file that does as another --contract.");

    /// <summary>As protobuf does: from the innermost scope outwards.</summary>
    private static string? Resolve(string name, string scope, Func<string, bool> isKnown)
    {
        if (name.StartsWith('.'))
            return isKnown(name[1..]) ? name[1..] : null;
        for (string at = scope; ;)
        {
            string full = at.Length == 0 ? name : at + "." + name;
            if (isKnown(full))
                return full;
            if (at.Length == 0)
                return null;
            at = at.LastIndexOf('.') is var dot and >= 0 ? at[..dot] : "";
        }
    }

    private MessageType Filled(string fullName)
    {
        MessageType type = _messages[fullName];
        if (_filled.Add(fullName))
            type.Fields.AddRange(_blocks[fullName].Entries.OrderBy(static entry => entry.Number).Select(entry => Field(entry, fullName)));
        return type;
    }

    private MessageField Field(ProtoEntry entry, string scope)
    {
        const string Repeated = "repeated ", Map = "map<";
        bool isRepeated = entry.Type.StartsWith(Repeated, StringComparison.Ordinal);
        string type = isRepeated ? entry.Type[Repeated.Length..] : entry.Type;
        if (!type.StartsWith(Map, StringComparison.Ordinal))
            return Typed(entry.Number, entry.Name, type, scope, isRepeated, entry.HasPresence);

        string[] sides = type[Map.Length..].TrimEnd('>').Split(", ", 2);
        var pair = new MessageType(scope + "." + entry.Name);
        pair.Fields.Add(Typed(1, "key", sides[0], scope, false, false));
        pair.Fields.Add(Typed(2, "value", sides[1], scope, false, false));
        return new MessageField { Number = entry.Number, Name = entry.Name, JsonName = JsonNames.Of(entry.Name), Kind = ProtoKind.Map, IsRepeated = true, Message = pair };
    }

    private MessageField Typed(int number, string name, string type, string scope, bool isRepeated, bool hasPresence)
    {
        ProtoBlock? @enum = null;
        MessageType? message = null;
        bool isScalar = Enum.TryParse(type, ignoreCase: true, out ProtoKind kind) && kind < ProtoKind.Enum && char.IsAsciiLetterLower(type[0]);
        if (!isScalar)
        {
            if (Resolve(type, scope, _enums.ContainsKey) is { } enumName)
            {
                kind = ProtoKind.Enum;
                @enum = _enums[enumName];
            }
            else
            {
                kind = ProtoKind.Message;
                message = ResolveMessage(type, scope);
            }
        }

        return new MessageField
        {
            Number = number,
            Name = name,
            JsonName = JsonNames.Of(name),
            Kind = kind,
            IsRepeated = isRepeated,
            HasPresence = hasPresence || kind == ProtoKind.Message,
            Message = message,
            Enum = @enum,
        };
    }
}
