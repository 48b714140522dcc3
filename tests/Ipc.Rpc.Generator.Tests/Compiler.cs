using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>Compiles sources in memory against the running framework and Ipc.Rpc, with generator and analyzer.</summary>
internal static class Compiler
{
    public const string Usings = """
        using System;
        using System.Collections.Generic;
        using System.Runtime.Serialization;
        using System.Threading;
        using System.Threading.Tasks;
        using Ipc.Rpc;

        """;

    /// <summary>As in every build: that a reference of an older version is unified is no news.</summary>
    private static readonly Dictionary<string, ReportDiagnostic> _unified = new() { ["CS1701"] = ReportDiagnostic.Suppress, ["CS1702"] = ReportDiagnostic.Suppress };

    public static readonly MetadataReference[] References = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
        .Split(Path.PathSeparator)
        .Where(static path => Path.GetFileName(path) is var name && (name.StartsWith("System.", StringComparison.Ordinal) || name is "Google.Protobuf.dll" or "Ipc.Rpc.dll" or "Ipc.Core.dll" or "netstandard.dll" or "mscorlib.dll"))
        .Select(static path => (MetadataReference)MetadataReference.CreateFromFile(path))
        .ToArray();

    public static CSharpCompilation Compile(string source, LanguageVersion language = LanguageVersion.Latest)
        => CSharpCompilation.Create(
            "Contracts",
            new[] { Parse(Usings + source, language, "Contract.cs") },
            References,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable, warningLevel: 9999, specificDiagnosticOptions: _unified));

    public static SyntaxTree Parse(string text, LanguageVersion language, string path)
        => CSharpSyntaxTree.ParseText(text, new CSharpParseOptions(language, DocumentationMode.Diagnose), path);

    /// <summary>What the generator makes of the sources; fails the test if it reports anything itself.</summary>
    public static IReadOnlyList<GeneratedSourceResult> Generate(CSharpCompilation compilation, out Compilation output)
    {
        GeneratorDriver driver = Driver(compilation).RunGeneratorsAndUpdateCompilation(compilation, out output, out _, TestContext);
        GeneratorRunResult result = driver.GetRunResult().Results.Single();
        Xunit.Assert.Null(result.Exception);
        Xunit.Assert.Empty(result.Diagnostics);
        return result.GeneratedSources;
    }

    public static GeneratorDriver Driver(CSharpCompilation compilation)
        => CSharpGeneratorDriver.Create(
            new[] { new ContractGenerator().AsSourceGenerator() },
            parseOptions: (CSharpParseOptions)compilation.SyntaxTrees[0].Options,
            driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));

    /// <summary>What the analyzer reports, in the order of the source.</summary>
    public static IReadOnlyList<Diagnostic> Analyze(CSharpCompilation compilation, AnalyzerConfigOptionsProvider? build = null)
    {
        var analyzers = ImmutableArray.Create<DiagnosticAnalyzer>(new ContractAnalyzer());
        var options = new CompilationWithAnalyzersOptions(build is null ? new AnalyzerOptions(default) : new AnalyzerOptions(default, build), (exception, _, _) => throw new InvalidOperationException("The analyzer failed.", exception), concurrentAnalysis: false, logAnalyzerExecutionTime: false);
        return new CompilationWithAnalyzers(compilation, analyzers, options)
            .GetAnalyzerDiagnosticsAsync(TestContext).GetAwaiter().GetResult()
            .OrderBy(static d => d.Location.SourceSpan.Start)
            .ToArray();
    }

    /// <summary>What the comparison with the checked-in files reports, in the order of the source.</summary>
    public static IReadOnlyList<Diagnostic> Drift(CSharpCompilation compilation, string? update, params (string Path, string Text)[] files)
    {
        var options = new AnalyzerOptions(files.Select(static f => (AdditionalText)new TextFile(f.Path, f.Text)).ToImmutableArray(), new BuildProperties(update));
        var run = new CompilationWithAnalyzersOptions(options, (exception, _, _) => throw new InvalidOperationException("The analyzer failed.", exception), concurrentAnalysis: false, logAnalyzerExecutionTime: false);
        return new CompilationWithAnalyzers(compilation, ImmutableArray.Create<DiagnosticAnalyzer>(new DriftAnalyzer()), run)
            .GetAnalyzerDiagnosticsAsync(TestContext).GetAwaiter().GetResult()
            .OrderBy(static d => d.Location.SourceSpan.Start)
            .ToArray();
    }

    /// <summary>The .proto that a contract generates.</summary>
    public static string Proto(CSharpCompilation compilation, string? generatedClass = null)
    {
        Generate(compilation, out Compilation output);
        INamedTypeSymbol generated = output.Assembly.GlobalNamespace.GetTypeMembers().Single(t => generatedClass is null ? t.Name.EndsWith("Rpc", StringComparison.Ordinal) : t.Name == generatedClass);
        return (string)((IFieldSymbol)generated.GetMembers("Proto").Single()).ConstantValue!;
    }

    /// <summary>Errors of the compiler, and its warnings about generated code; missing documentation is one there.</summary>
    public static IReadOnlyList<string> Complaints(Compilation compilation)
        => compilation.GetDiagnostics(TestContext)
            .Where(static d => d.Severity == DiagnosticSeverity.Error || (d.Severity == DiagnosticSeverity.Warning && d.Location.SourceTree?.FilePath != "Contract.cs"))
            .Select(static d => d.ToString())
            .ToArray();

    private static CancellationToken TestContext => Xunit.TestContext.Current.CancellationToken;
}
