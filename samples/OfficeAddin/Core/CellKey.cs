using System;

namespace OfficeAddin;

/// <summary>A cell of a service's table.</summary>
internal readonly struct CellKey : IEquatable<CellKey>
{
    public CellKey(string id, string field)
    {
        Id = id;
        Field = field;
    }

    public string Id { get; }

    public string Field { get; }

    public bool Equals(CellKey other) => Id == other.Id && Field == other.Field;

    public override bool Equals(object? obj) => obj is CellKey other && Equals(other);

    public override int GetHashCode() => unchecked((Id.GetHashCode() * 397) ^ Field.GetHashCode());
}
