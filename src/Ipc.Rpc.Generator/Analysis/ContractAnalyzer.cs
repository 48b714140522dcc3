using System.Collections.Generic;
using System.Collections.Immutable;
using Ipc.Analyzers;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ipc.Rpc.Generator;

/// <summary>Reports what a contract may not contain. It runs the generator's own parser, so the two never disagree.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ContractAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        Diagnostics.GenericContract,
        Diagnostics.InaccessibleContract,
        Diagnostics.InvalidServiceName,
        Diagnostics.UnsupportedMember,
        Diagnostics.GenericMethod,
        Diagnostics.ByReference,
        Diagnostics.MisplacedCancellation,
        Diagnostics.UnsupportedType,
        Diagnostics.DuplicateMethod,
        Diagnostics.IdCollision,
        Diagnostics.MissingNumber,
        Diagnostics.DuplicateNumber,
        Diagnostics.InvalidNumber,
        Diagnostics.NotConstructible,
        Diagnostics.NameClash,
        Diagnostics.DisposableContract,
        Diagnostics.SecondStream,
        Diagnostics.UnsupportedEnum,
        Diagnostics.OldLanguage,
        Diagnostics.InvalidMethodName,
        Diagnostics.OneWayWithAnswer,
        Diagnostics.MisplacedProgress,
        Diagnostics.SynchronousStream,
        Diagnostics.InvalidCallback,
        Diagnostics.MisplacedOnce,
        Diagnostics.IgnoredCallback,
        Diagnostics.NullableCollection,
        Diagnostics.UnannotatedNull);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(Analyze, SymbolKind.NamedType);
    }

    private static void Analyze(SymbolAnalysisContext context)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        if (type.ContractAttribute() is not { } attribute)
            return;

        ContractParser.Parse(type, attribute, context.Compilation, out ParseContext parsed);
        var pages = new DiagnosticPages(context.Options, Diagnostics.PagesProperty);
        foreach (Problem problem in parsed.Problems)
            context.ReportDiagnostic(problem.ToDiagnostic(pages));
        foreach (Problem remark in parsed.Remarks)
            context.ReportDiagnostic(remark.ToDiagnostic(pages));
    }
}
