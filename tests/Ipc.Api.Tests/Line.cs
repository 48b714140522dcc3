using System;

namespace Ipc.Api.Tests;

/// <summary>One line of a surface, with what decides its place: the type, the kind, the name of the member, then the text.</summary>
internal sealed record Line(string Type, LineKind Kind, string Name, string Text) : IComparable<Line>
{
    public int CompareTo(Line? other)
    {
        int order = string.CompareOrdinal(Type, other!.Type);
        order = order != 0 ? order : Kind.CompareTo(other.Kind);
        order = order != 0 ? order : string.CompareOrdinal(Name, other.Name);
        return order != 0 ? order : string.CompareOrdinal(Text, other.Text);
    }
}
