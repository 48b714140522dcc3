using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Where a type is used: what to call it in a message to people, and where to point.</summary>
internal readonly struct FieldSite
{
    public FieldSite(string path, Location location)
    {
        Path = path;
        Location = location;
    }

    /// <summary>The way there from the contract, for instance <c>ISystemMonitor.Get(request).Rows.Cell</c>.</summary>
    public string Path { get; }

    public Location Location { get; }

    /// <summary>A member of the type that is used here; it is pointed to if it is in this compilation.</summary>
    public FieldSite Member(ISymbol member)
    {
        Location own = member.Locations.Length > 0 && member.Locations[0].IsInSource ? member.Locations[0] : Location;
        return new FieldSite(Path + "." + member.Name, own);
    }

    /// <summary>The type that is used here; it is pointed to if it is in this compilation.</summary>
    public FieldSite Type(ISymbol type)
        => new(Path, type.Locations.Length > 0 && type.Locations[0].IsInSource ? type.Locations[0] : Location);

    public FieldSite Part(string suffix) => new(Path + suffix, Location);
}
