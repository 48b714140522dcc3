namespace Ipc.Architecture.Tests;

/// <summary>Code in one folder that names something of another one.</summary>
internal sealed record Reference(string From, string To, string File, string Name)
{
    public override string ToString() => $"{From} -> {To}: {File} names {Name}";
}
