using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What is gathered while one contract is parsed: problems, messages, enums, and the names taken.</summary>
internal sealed class ParseContext
{
    private readonly Dictionary<string, string> _owners = new();

    public ParseContext(Compilation compilation) => Compilation = compilation;

    public Compilation Compilation { get; }

    public List<Problem> Problems { get; } = new();

    /// <summary>What a contract may contain, and somebody should know.</summary>
    public List<Problem> Remarks { get; } = new();

    /// <summary>Where null arrives as empty, and nullable is not enabled: neither the declaration nor the compiler says so.</summary>
    public List<string> Unannotated { get; } = new();

    public List<MessageModel> Messages { get; } = new();

    public List<EnumModel> Enums { get; } = new();

    /// <summary>Where messages, fields, enums and methods are declared, by the key that the comparison with the .proto has for them.</summary>
    public Dictionary<string, Location> Sites { get; } = new();

    /// <summary>The names that [IpcRenamed] says a field, a parameter or a value had, by the same keys.</summary>
    public Dictionary<string, List<string>> Renames { get; } = new();

    public void Site(string type, Location location) => Sites[type] = location;

    public void Renamed(string key, ISymbol member)
    {
        foreach (AttributeData attribute in member.GetAttributes())
        {
            if (attribute.AttributeClass?.FullName() == TypeNames.RenamedAttribute && attribute.First() is string { Length: > 0 } old)
            {
                if (!Renames.TryGetValue(key, out List<string>? names))
                    Renames.Add(key, names = new List<string>());
                names.Add(old);
            }
        }
    }

    public void Site(string message, int number, Location location, ISymbol member)
    {
        string key = message + "." + number.ToString(System.Globalization.CultureInfo.InvariantCulture);
        Sites[key] = location;
        Renamed(key, member);
    }

    public void Report(DiagnosticDescriptor descriptor, Location location, params object[] arguments)
        => Problems.Add(new Problem(descriptor, location, arguments));

    public void Remark(DiagnosticDescriptor descriptor, Location location, params object[] arguments)
        => Remarks.Add(new Problem(descriptor, location, arguments));

    /// <summary>Takes a name in the .proto's package for a type. False when it must not be used; then that has been reported.</summary>
    public bool TakeName(string name, string owner, Location location)
    {
        if (!ProtoNames.IsIdentifier(name))
        {
            Report(Diagnostics.NameClash, location, name, owner, "it is not an identifier of letters, digits and '_'", "set another one by the attribute's Name");
            return false;
        }

        if (_owners.TryGetValue(name, out string? other) && other != owner)
        {
            Report(Diagnostics.NameClash, location, name, owner, "it is the name of " + other + " already", "give one of them another name: [DataContract(Name = ...)], [IpcMethod(...)], or in C#");
            return false;
        }

        _owners[name] = owner;
        return true;
    }
}
