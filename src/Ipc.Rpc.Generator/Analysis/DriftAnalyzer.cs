using System.Collections.Immutable;
using System.IO;
using Ipc.Analyzers;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ipc.Rpc.Generator;

/// <summary>Compares each contract with its checked-in .proto, the manifest: a change that peers built before do not survive is an error.</summary>
/// <remarks>Every diagnostic carries the manifest's path and the text that it would have now, for the code fix.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DriftAnalyzer : DiagnosticAnalyzer
{
    /// <summary>The property of a diagnostic that holds the manifest's path.</summary>
    public const string PathProperty = "path";

    /// <summary>The property of a diagnostic that holds the text that the contract generates.</summary>
    public const string TextProperty = "text";

    /// <summary>The property of a diagnostic that holds the number that a fix writes.</summary>
    public const string NumberProperty = "number";

    /// <summary>The property of a diagnostic that holds the name that the service, or what was renamed, had.</summary>
    public const string OldNameProperty = "name";

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        DriftDiagnostics.NumberReused,
        DriftDiagnostics.FieldTypeChanged,
        DriftDiagnostics.FieldRemoved,
        DriftDiagnostics.NumberChanged,
        DriftDiagnostics.ReservedNumberUsed,
        DriftDiagnostics.MethodRemoved,
        DriftDiagnostics.MessagesChanged,
        DriftDiagnostics.KindChanged,
        DriftDiagnostics.ServiceRenamed,
        DriftDiagnostics.EnumValueChanged,
        DriftDiagnostics.ManifestOutOfDate,
        DriftDiagnostics.UnreadableManifest,
        DriftDiagnostics.NoManifest,
        DriftDiagnostics.OrphanedManifest,
        DriftDiagnostics.CallbackChanged,
        DriftDiagnostics.NameChanged);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            var manifests = new Manifests(start.Options.AdditionalFiles, start.CancellationToken);
            UpdateMode mode = UpdateModes.Of(start.Options.AnalyzerConfigOptionsProvider.GlobalOptions);
            start.RegisterSymbolAction(symbol => Analyze(symbol, manifests, mode), SymbolKind.NamedType);
            start.RegisterCompilationEndAction(end => AnalyzeFiles(end, manifests, mode));
        });
    }

    private static void Analyze(SymbolAnalysisContext context, Manifests manifests, UpdateMode mode)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        if (type.ContractAttribute() is not { } attribute)
            return;

        // Asked for even if the contract has problems: then its file is not an orphan's.
        Manifest? manifest = manifests.Of(ContractNames.Service(type, attribute), ProtoEmitter.Origin(type.NonNullCode()));
        ContractModel? contract = ContractParser.Parse(type, attribute, context.Compilation, out ParseContext parsed);
        if (contract is null || mode == UpdateMode.Breaking)
            return;

        string text = ProtoEmitter.Text(contract);
        var pages = new DiagnosticPages(context.Options, Diagnostics.PagesProperty);
        Location own = type.Locations[0];
        if (manifest is null)
        {
            if (mode == UpdateMode.None)
                context.ReportDiagnostic(Diagnostic.Create(pages.Linked(DriftDiagnostics.NoManifest), own, Properties(Manifests.PathOf(contract.ServiceName, own.SourceTree?.FilePath ?? ""), text, 0), type.Readable()));
            return;
        }

        if (manifest.Has(text))
            return;

        bool broken = false;
        foreach (Drift drift in ProtoComparer.Compare(manifest.File!, ProtoFileParser.Parse(text), parsed.Renames))
        {
            broken = true;
            context.ReportDiagnostic(Diagnostic.Create(pages.Linked(drift.Descriptor), Locate(drift.Site, parsed, own), Properties(manifest.Path, text, drift.Number).Add(OldNameProperty, drift.OldName ?? manifest.File!.Package), drift.Arguments));
        }

        if (!broken && mode == UpdateMode.None)
            context.ReportDiagnostic(Diagnostic.Create(pages.Linked(DriftDiagnostics.ManifestOutOfDate), own, Properties(manifest.Path, text, 0), Path.GetFileName(manifest.Path), type.Readable()));
    }

    private static void AnalyzeFiles(CompilationAnalysisContext context, Manifests manifests, UpdateMode mode)
    {
        var pages = new DiagnosticPages(context.Options, Diagnostics.PagesProperty);
        foreach (Manifest manifest in manifests.Unreadable)
        {
            if (mode != UpdateMode.Breaking)
                context.ReportDiagnostic(Diagnostic.Create(pages.Linked(DriftDiagnostics.UnreadableManifest), manifest.Location, Path.GetFileName(manifest.Path), manifest.Problem));
        }

        foreach (Manifest manifest in manifests.Orphans)
            context.ReportDiagnostic(Diagnostic.Create(pages.Linked(DriftDiagnostics.OrphanedManifest), manifest.Location, Path.GetFileName(manifest.Path), manifest.File!.Origin));
    }

    /// <summary>The declaration; for what another assembly declares, or what is gone, what it is part of.</summary>
    private static Location Locate(string site, ParseContext parsed, Location own)
    {
        if (parsed.Sites.TryGetValue(site, out Location? exact) && exact.IsInSource)
            return exact;
        int dot = site.IndexOf('.');
        return dot > 0 && parsed.Sites.TryGetValue(site.Substring(0, dot), out Location? outer) && outer.IsInSource ? outer : own;
    }

    private static ImmutableDictionary<string, string?> Properties(string path, string text, int number)
        => ImmutableDictionary<string, string?>.Empty
            .Add(PathProperty, path)
            .Add(TextProperty, text)
            .Add(NumberProperty, number.ToString(System.Globalization.CultureInfo.InvariantCulture));
}
