using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What a contract method takes and gives, apart from how: its parameters without the token, its result without the task.</summary>
internal sealed class Signature
{
    private Signature(IMethodSymbol method, string wireName, IReadOnlyList<IParameterSymbol> parameters, ITypeSymbol? result, MemberModel member)
    {
        Method = method;
        WireName = wireName;
        Parameters = parameters;
        Result = result;
        Member = member;
    }

    public IMethodSymbol Method { get; }

    public string WireName { get; }

    public IReadOnlyList<IParameterSymbol> Parameters { get; }

    /// <summary>The result or the item; <see langword="null"/> for nothing.</summary>
    public ITypeSymbol? Result { get; }

    public MemberModel Member { get; }

    public Location Location => Method.Locations[0];

    public string Shown => Method.ContainingType.Name + "." + Method.Name;

    /// <summary>Whether one of the two is the synchronous form of the other: one method on the wire.</summary>
    public bool IsTwinOf(Signature other)
        => Member.IsSynchronous != other.Member.IsSynchronous
            && Member.Style != ResultStyle.Stream
            && other.Member.Style != ResultStyle.Stream
            && (Result is null ? other.Result is null : other.Result is not null && Same(Result, other.Result))
            && Parameters.Count == other.Parameters.Count
            && Parameters.Zip(other.Parameters, static (a, b) => a.Name == b.Name && Same(a.Type, b.Type)).All(static same => same);

    /// <summary>The signature, or <see langword="null"/> when a method cannot have it; then that has been reported.</summary>
    public static Signature? Parse(IMethodSymbol method, ParseContext context)
    {
        string shown = method.ContainingType.Name + "." + method.Name;
        Location location = method.Locations[0];
        int problems = context.Problems.Count;

        if (method.IsGenericMethod)
            context.Report(Diagnostics.GenericMethod, location, shown);
        if (method.RefKind != RefKind.None)
            context.Report(Diagnostics.ByReference, location, shown, "ref");
        foreach (IParameterSymbol parameter in method.Parameters.Where(static p => p.RefKind != RefKind.None))
            context.Report(Diagnostics.ByReference, parameter.Locations[0], shown + "(" + parameter.Name + ")", parameter.RefKind.ToString().ToLowerInvariant());

        List<IParameterSymbol> tokens = method.Parameters.Where(static p => IsToken(p.Type)).ToList();
        if (tokens.Count > 1 || (tokens.Count == 1 && !SymbolEqualityComparer.Default.Equals(tokens[0], method.Parameters.Last())))
            context.Report(Diagnostics.MisplacedCancellation, tokens[0].Locations[0], shown);

        foreach (IParameterSymbol parameter in method.Parameters.Where(static p => p.Type.FullName() == "System.Collections.Generic.IAsyncEnumerable`1"))
            context.Report(Diagnostics.StreamParameter, parameter.Locations[0], shown + "(" + parameter.Name + ")");

        string? given = method.Attribute(TypeNames.MethodAttribute).First() as string;
        string wireName = given ?? WithoutAsync(method.Name);
        if (!ProtoNames.IsIdentifier(wireName))
            context.Report(Diagnostics.InvalidMethodName, location, wireName, shown);

        if (context.Problems.Count != problems)
            return null;

        (ResultStyle style, ITypeSymbol? result) = ResultOf(method);
        List<IParameterSymbol> parameters = method.Parameters.Where(static p => !IsToken(p.Type)).ToList();
        var member = new MemberModel(
            method.ContainingType.NonNullCode(),
            method.Name,
            method.ReturnsVoid ? "void" : method.ReturnType.Code(),
            style,
            new EquatableArray<ParameterModel>(method.Parameters.Select(static p => new ParameterModel(p.Type.Code(), p.Name))),
            tokens.Count == 1 ? tokens[0].Name : null);
        return new Signature(method, wireName, parameters, result, member);
    }

    private static (ResultStyle Style, ITypeSymbol? Result) ResultOf(IMethodSymbol method)
    {
        if (method.ReturnsVoid)
            return (ResultStyle.Void, null);

        ITypeSymbol? argument = method.ReturnType is INamedTypeSymbol { TypeArguments.Length: 1 } generic ? generic.TypeArguments[0] : null;
        return method.ReturnType.FullName() switch
        {
            "System.Threading.Tasks.Task" => (ResultStyle.Task, null),
            "System.Threading.Tasks.ValueTask" => (ResultStyle.ValueTask, null),
            "System.Threading.Tasks.Task`1" => (ResultStyle.TaskOfValue, argument),
            "System.Threading.Tasks.ValueTask`1" => (ResultStyle.ValueTaskOfValue, argument),
            "System.Collections.Generic.IAsyncEnumerable`1" => (ResultStyle.Stream, argument),
            _ => (ResultStyle.Value, method.ReturnType),
        };
    }

    private static bool IsToken(ITypeSymbol type) => type.FullName() == "System.Threading.CancellationToken";

    private static string WithoutAsync(string name)
        => name.Length > 5 && name.EndsWith("Async", System.StringComparison.Ordinal) ? name.Substring(0, name.Length - 5) : name;

    private static bool Same(ITypeSymbol a, ITypeSymbol b) => SymbolEqualityComparer.IncludeNullability.Equals(a, b);
}
