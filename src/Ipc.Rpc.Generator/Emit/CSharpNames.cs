using Microsoft.CodeAnalysis.CSharp;

namespace Ipc.Rpc.Generator;

/// <summary>Names from the user's code, usable as they are.</summary>
internal static class CSharpNames
{
    public static string Escape(string name) => SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None ? name : "@" + name;
}
