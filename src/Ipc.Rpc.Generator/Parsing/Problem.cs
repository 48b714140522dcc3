using Ipc.Analyzers;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Something a contract may not contain, and where. Stays in the parser: it holds Roslyn objects.</summary>
internal sealed class Problem
{
    private readonly DiagnosticDescriptor _descriptor;
    private readonly Location _location;
    private readonly object[] _arguments;

    public Problem(DiagnosticDescriptor descriptor, Location location, params object[] arguments)
    {
        _descriptor = descriptor;
        _location = location;
        _arguments = arguments;
    }

    public Diagnostic ToDiagnostic(DiagnosticPages pages) => Diagnostic.Create(pages.Linked(_descriptor), _location, _arguments);
}
