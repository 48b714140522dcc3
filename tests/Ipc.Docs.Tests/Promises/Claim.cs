using System;

namespace Ipc.Docs.Tests.Promises;

/// <summary>A row of docs/promises.md: the place and the first words of a unit, and the names of its tests, or the reason why it has none.</summary>
internal sealed record Claim(string Section, string Where, string Words, string Rest)
{
    public bool Means(Unit unit) => unit.Where == Where && unit.Text.StartsWith(Words, StringComparison.Ordinal);
}
