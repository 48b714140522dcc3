using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>A change that peers built before it do not survive.</summary>
/// <param name="Descriptor">Which kind of change.</param>
/// <param name="Site">What has changed, by the key of ParseContext.Sites; for what is gone, what it was part of.</param>
/// <param name="Arguments">For the message to people.</param>
internal sealed record Drift(DiagnosticDescriptor Descriptor, string Site, params object[] Arguments)
{
    /// <summary>The number that a fix has to write, if the kind of change has one.</summary>
    public int Number { get; init; }

    /// <summary>The name that it had, if that is what has changed.</summary>
    public string? OldName { get; init; }
}
