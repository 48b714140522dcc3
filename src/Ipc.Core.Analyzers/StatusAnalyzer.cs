using System;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Ipc.Analyzers;

/// <summary>Reports calls whose status nobody looks at: a message that was not sent is lost, and nothing says so.</summary>
/// <remarks>What counts is a call of a method of Ipc.Core that stands alone as a statement, awaited or not, and returns an <c>IpcStatus</c>, or the <see cref="bool"/> of a
/// method named Try. <c>Release</c> is free: what it would say is said again by the next read.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StatusAnalyzer : DiagnosticAnalyzer
{
    private const string Library = "Ipc.Core", Status = "Ipc.IpcStatus", Free = "Release";

    private static readonly DiagnosticDescriptor _ignored = new(
        "IPC001",
        "A status is looked at",
        "What '{0}' returns is ignored, and if it was not done nobody knows; look at it, or say by '_ =' that it does not matter",
        "Ipc",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        helpLinkUri: "docs/diagnostics/IPC001.md");

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(_ignored);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            if (start.Compilation.GetTypeByMetadataName(Status) is { } status)
                start.RegisterOperationAction(operation => Analyze(operation, status), OperationKind.ExpressionStatement);
        });
    }

    private static void Analyze(OperationAnalysisContext context, INamedTypeSymbol status)
    {
        IOperation value = ((IExpressionStatementOperation)context.Operation).Operation;
        if (InvocationOf(value) is not { } invocation || value.Type is null)
            return;

        IMethodSymbol method = invocation.TargetMethod;
        if (method.ContainingAssembly?.Name != Library || method.Name == Free || !IsAnswer(value.Type, method, status))
            return;
        context.ReportDiagnostic(Diagnostic.Create(new DiagnosticPages(context.Options, "IpcCoreDiagnosticPages").Linked(_ignored), value.Syntax.GetLocation(), method.ContainingType.Name + "." + method.Name));
    }

    private static bool IsAnswer(ITypeSymbol type, IMethodSymbol method, INamedTypeSymbol status)
        => SymbolEqualityComparer.Default.Equals(Present(type), status)
        || (Present(type).SpecialType == SpecialType.System_Boolean && method.Name.StartsWith("Try", StringComparison.Ordinal));

    /// <summary>A call behind <c>?.</c> has an answer or none.</summary>
    private static ITypeSymbol Present(ITypeSymbol type)
        => type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable ? nullable.TypeArguments[0] : type;

    private static IInvocationOperation? InvocationOf(IOperation? value)
    {
        while (value is not null)
        {
            switch (value)
            {
                case IInvocationOperation { TargetMethod.Name: "ConfigureAwait", Instance: { } awaited }:
                    value = awaited;
                    break;
                case IInvocationOperation invocation:
                    return invocation;
                case IAwaitOperation awaiting:
                    value = awaiting.Operation;
                    break;
                case IConditionalAccessOperation access:
                    value = access.WhenNotNull;
                    break;
                default:
                    return null;
            }
        }

        return null;
    }
}
