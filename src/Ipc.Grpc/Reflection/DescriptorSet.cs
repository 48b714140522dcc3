using System;
using System.Collections.Generic;
using Ipc.Rpc.Generator;

namespace Ipc.Grpc;

/// <summary>The files of the contracts that an application has mapped, and those that they import.</summary>
internal sealed class DescriptorSet
{
    /// <summary>What every .proto may use and none defines, as far as contracts use it.</summary>
    private static readonly (string Name, string Text)[] _wellKnown =
    [
        ("google/protobuf/any.proto", "message Any { string type_url = 1; bytes value = 2; }"),
        ("google/protobuf/duration.proto", "message Duration { int64 seconds = 1; int32 nanos = 2; }"),
        ("google/protobuf/empty.proto", "message Empty {}"),
        ("google/protobuf/timestamp.proto", "message Timestamp { int64 seconds = 1; int32 nanos = 2; }"),
    ];

    private readonly List<string> _services = [];
    private readonly Dictionary<string, DescriptorFile> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<string, DescriptorFile> _bySymbol = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _enums = new(StringComparer.Ordinal);

    public DescriptorSet(IEnumerable<GatewayContract> contracts)
    {
        foreach ((string name, string text) in _wellKnown)
            Add(new DescriptorFile(name, ProtoFileParser.Parse("package google.protobuf; " + text)));
        foreach (GatewayContract contract in contracts)
        {
            _services.Add(contract.FullName);
            Add(new DescriptorFile(contract.FullName + ".proto", contract.File, contract.File.Services[0]));
        }
    }

    /// <summary>The services' full names.</summary>
    public IReadOnlyList<string> Services => _services;

    /// <summary>The file of that name; <see langword="null"/> for none.</summary>
    public DescriptorFile? Named(string name) => _byName.GetValueOrDefault(name);

    /// <summary>The file that has the symbol; <see langword="null"/> for none.</summary>
    public DescriptorFile? With(string symbol) => _bySymbol.GetValueOrDefault(symbol);

    /// <summary>The file's bytes, and before them those of the files that it imports, each once.</summary>
    /// <exception cref="FormatException">It uses a type that no file here has; the text names it.</exception>
    public List<byte[]> Bytes(DescriptorFile file)
    {
        List<byte[]> all = [];
        AddBytes(file, all, []);
        return all;
    }

    private void AddBytes(DescriptorFile file, List<byte[]> all, HashSet<DescriptorFile> begun)
    {
        if (!begun.Add(file))
            return;
        SortedSet<string> imports = new(StringComparer.Ordinal);
        byte[] own = new DescriptorWriter(file, (type, scope) => Resolve(type, scope, file, imports)).Write(imports);
        foreach (string import in imports)
            AddBytes(_byName[import], all, begun);
        all.Add(own);
    }

    private void Add(DescriptorFile file)
    {
        _byName[file.Name] = file;
        foreach (string symbol in file.Symbols)
            _bySymbol.TryAdd(symbol, file);
        foreach (string name in file.File.Enums.Keys)
            _enums[file.File.Package + "." + name] = name;
    }

    /// <summary>The full name of a type, and whether it is an enum. As protobuf does: from the innermost scope
    /// outwards.</summary>
    private (string FullName, bool IsEnum) Resolve(
        string type, string scope, DescriptorFile user, SortedSet<string> imports)
    {
        for (string at = scope; ; at = at.LastIndexOf('.') is var dot and >= 0 ? at[..dot] : string.Empty)
        {
            string full = type.StartsWith('.') ? type[1..] : at.Length == 0 ? type : at + "." + type;
            if (_bySymbol.TryGetValue(full, out DescriptorFile? file))
            {
                if (file != user)
                    imports.Add(file.Name);
                return (full, _enums.ContainsKey(full));
            }

            if (at.Length == 0 || type.StartsWith('.'))
                throw new FormatException(
                    scope + " uses " + type + ", which is of a file that the gateway does not have; its calls work " +
                    "all the same.");
        }
    }
}
