using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>What a contract method takes and gives, apart from how: its arguments without token, stream and progress, its result without the task.</summary>
internal sealed class Signature
{
    private Signature(IMethodSymbol method, string wireName, MemberModel member, ITypeSymbol? result)
    {
        Method = method;
        WireName = wireName;
        Member = member;
        Result = result;
        Parameters = method.Parameters.Where(static p => ParameterRoles.Of(p) == ParameterRole.Argument).ToList();
    }

    public IMethodSymbol Method { get; }

    public string WireName { get; }

    /// <summary>What is sent in the request message.</summary>
    public IReadOnlyList<IParameterSymbol> Parameters { get; }

    /// <summary>The result or the item; <see langword="null"/> for nothing.</summary>
    public ITypeSymbol? Result { get; }

    public MemberModel Member { get; }

    public bool IsOneWay => OneWay(Method);

    public bool IsInline => Method.Attribute(TypeNames.InlineAttribute) is not null;

    public bool IsIdempotent => Method.Attribute(TypeNames.IdempotentAttribute) is not null;

    public bool IsOnce => Once(Method);

    public CallKind Kind => (Having(ParameterRole.Stream) is null, Member.Style == ResultStyle.Stream) switch
    {
        (true, false) => CallKind.Unary,
        (true, true) => CallKind.ServerStream,
        (false, false) => CallKind.ClientStream,
        _ => CallKind.Duplex,
    };

    public Location Location => Method.Locations[0];

    public string Shown => Method.ContainingType.Name + "." + Method.Name;

    /// <summary>The parameter that is a stream or that takes progress.</summary>
    public IParameterSymbol? Having(ParameterRole role) => Method.Parameters.FirstOrDefault(p => ParameterRoles.Of(p) == role);

    /// <summary>Whether one of the two is the synchronous form of the other: one method on the wire.</summary>
    public bool IsTwinOf(Signature other)
        => Member.IsSynchronous != other.Member.IsSynchronous
            && IsOneWay == other.IsOneWay
            && Kind == CallKind.Unary
            && other.Kind == CallKind.Unary
            && Having(ParameterRole.Progress) is null
            && other.Having(ParameterRole.Progress) is null
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

        string wireName = GivenName(method) ?? WithoutAsync(method.Name);
        if (!ProtoNames.IsIdentifier(wireName))
            context.Report(Diagnostics.InvalidMethodName, location, wireName, shown);

        (ResultStyle style, ITypeSymbol? result) = ResultOf(method);
        Roles(method, style, result, shown, context);
        if (context.Problems.Count != problems)
            return null;

        var member = new MemberModel(
            method.ContainingType.NonNullCode(),
            method.Name,
            method.ReturnsVoid ? "void" : method.ReturnType.Code(),
            style,
            new EquatableArray<ParameterModel>(method.Parameters.Select(static p => new ParameterModel(p.Type.Code(), p.Name, ParameterRoles.Of(p)))));
        return new Signature(method, wireName, member, result);
    }

    /// <summary>Token, stream and progress: at most one of each, and only where they mean something.</summary>
    private static void Roles(IMethodSymbol method, ResultStyle style, ITypeSymbol? result, string shown, ParseContext context)
    {
        List<IParameterSymbol> Having(params ParameterRole[] roles) => method.Parameters.Where(p => roles.Contains(ParameterRoles.Of(p))).ToList();

        List<IParameterSymbol> tokens = Having(ParameterRole.Cancel, ParameterRole.CallContext);
        if (tokens.Count > 1 || (tokens.Count == 1 && !SymbolEqualityComparer.Default.Equals(tokens[0], method.Parameters.Last())))
            context.Report(Diagnostics.MisplacedCancellation, tokens[0].Locations[0], shown);

        List<IParameterSymbol> streams = Having(ParameterRole.Stream);
        bool synchronous = style is ResultStyle.Void or ResultStyle.Value;
        bool oneWay = OneWay(method);
        if (streams.Count > 1)
            context.Report(Diagnostics.SecondStream, streams[1].Locations[0], shown, streams[0].Name, streams[1].Name);
        else if (streams.Count == 1 && streams[0].Type.NullableAnnotation == NullableAnnotation.Annotated)
            context.Report(Diagnostics.UnsupportedType, streams[0].Locations[0], streams[0].Type.Readable(), shown + "(" + streams[0].Name + ")", "a stream is not null", "remove the '?', and pass an empty one");
        else if (streams.Count == 1 && synchronous && !oneWay)
            context.Report(Diagnostics.SynchronousStream, streams[0].Locations[0], shown, streams[0].Name);

        List<IParameterSymbol> progress = Having(ParameterRole.Progress);
        if (progress.Count > 1)
            context.Report(Diagnostics.MisplacedProgress, progress[1].Locations[0], shown, "it has one already", "remove one");
        else if (progress.Count == 1 && (streams.Count > 0 || style == ResultStyle.Stream))
            context.Report(Diagnostics.MisplacedProgress, progress[0].Locations[0], shown, "the items of a stream say how far it is", "remove it");
        else if (progress.Count == 1 && synchronous && !oneWay)
            context.Report(Diagnostics.MisplacedProgress, progress[0].Locations[0], shown, "its caller would be busy waiting", "return a Task or ValueTask");

        if (oneWay && (result is not null || streams.Count > 0 || progress.Count > 0))
        {
            string reason = result is not null ? "a result" : streams.Count > 0 ? "a stream" : "progress";
            context.Report(Diagnostics.OneWayWithAnswer, method.Locations[0], shown, reason);
        }

        if (!Once(method))
            return;
        (string Reason, string Remedy)? once = oneWay ? ("its caller would never learn the outcome", "remove [IpcOneWay]")
            : streams.Count > 0 || style == ResultStyle.Stream ? ("a stream is not made again", "use lists, or remove [IpcOnce]")
            : progress.Count > 0 ? ("a call with progress is not made again", "remove the IProgress, or [IpcOnce]")
            : method.Attribute(TypeNames.IdempotentAttribute) is not null ? ("it is [IpcIdempotent], and may be executed twice", "remove one of the two")
            : null;
        if (once is { } wrong)
            context.Report(Diagnostics.MisplacedOnce, method.Locations[0], shown, wrong.Reason, wrong.Remedy);
    }

    /// <summary>Whether a call of it is to be executed once.</summary>
    public static bool Once(IMethodSymbol method) => method.Attribute(TypeNames.OnceAttribute) is not null;

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
            TypeNames.AsyncEnumerable => (ResultStyle.Stream, argument),
            _ => (ResultStyle.Value, method.ReturnType),
        };
    }

    private static bool OneWay(IMethodSymbol method)
        => method.Attribute(TypeNames.OneWayAttribute) is not null || method.Attribute(TypeNames.OperationContract).Named("IsOneWay") is true;

    private static string? GivenName(IMethodSymbol method)
        => (method.Attribute(TypeNames.MethodAttribute).First()
            ?? method.Attribute(TypeNames.OperationContract).Named("Name")
            ?? method.Attribute(TypeNames.GrpcOperation).First()
            ?? method.Attribute(TypeNames.GrpcOperation).Named("Name")) as string;

    private static string WithoutAsync(string name)
        => name.Length > 5 && name.EndsWith("Async", System.StringComparison.Ordinal) ? name.Substring(0, name.Length - 5) : name;

    private static bool Same(ITypeSymbol a, ITypeSymbol b) => SymbolEqualityComparer.IncludeNullability.Equals(a, b);
}
