using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.CodeFixes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;
using Xunit;

namespace Ipc.Rpc.Generator.Tests;

/// <summary>Each fix of a drift, applied in a workspace as an editor does; afterwards the drift is not there any more.</summary>
public sealed class CodeFixTests
{
    private const string Before = """
        [IpcService("shop.v1")]
        public interface IShop
        {
            Order Get(Point id);
            void Move(int from, int to);
        }

        [DataContract]
        public class Order
        {
            [DataMember(Order = 1)] public int Count { get; set; }
            [DataMember(Order = 2)] public State State { get; set; }
        }

        [DataContract]
        public record Point([property: DataMember(Order = 1)] int X, [property: DataMember(Order = 2)] int Y);

        public enum State { New, Sent, Lost }
        """;

    /// <summary>A change, the id of its drift, the title of a fix, what the source has after it.</summary>
    public static TheoryData<string, string, string, string, string> Fixes { get; } = new()
    {
        { "public int Count", "public string Name", "IPCRPC030", "Give it the number 3", "[DataMember(Order = 3)] public string Name" },
        { "public int Count", "public long Count", "IPCRPC031", "Give it the number 3", "[DataMember(Order = 3)] public long Count" },
        { "int Y)", "long Y)", "IPCRPC031", "Give it the number 3", "[property: DataMember(Order = 3)] long Y)" },
        { "[DataMember(Order = 1)] public int Count { get; set; }", "", "IPCRPC032", "Reserve the number 1", "[IpcReserved(1)]\npublic class Order" },
        { "[DataMember(Order = 2)] public State", "[DataMember(Order = 7)] public State", "IPCRPC033", "Give it the number 2", "[DataMember(Order = 2)] public State" },
        { "shop.v1", "shop.v2", "IPCRPC038", "Call it \"shop.v1\" again", "[IpcService(\"shop.v1\")]" },
        { "Sent, Lost", "Sent = 5, Lost = 2", "IPCRPC039", "Write 'Sent = 1'", "Sent = 1" },
        { "Sent, Lost", "Sent", "IPCRPC039", "Reserve the number 2", "[IpcReserved(2)]\npublic enum State" },
        { "public int Count", "public int Amount", "IPCRPC045", "Say that it was renamed: [IpcRenamed(\"count\")]", "[DataMember(Order = 1)] [IpcRenamed(\"count\")] public int Amount" },
        { "int Y)", "int Height)", "IPCRPC045", "Say that it was renamed: [IpcRenamed(\"y\")]", "[property: DataMember(Order = 2)] [property: IpcRenamed(\"y\")] int Height)" },
        { "Sent, Lost", "Sent, Missing", "IPCRPC045", "Say that it was renamed: [IpcRenamed(\"STATE_LOST\")]", "Sent, [IpcRenamed(\"STATE_LOST\")] Missing" },
        { "int from, int to", "int origin, int to", "IPCRPC045", "Say that it was renamed: [IpcRenamed(\"from\")]", "void Move([IpcRenamed(\"from\")] int origin, int to)" },
    };

    [Theory]
    [MemberData(nameof(Fixes))]
    public async Task AFixMendsTheContract(string from, string to, string id, string title, string part)
    {
        using var workspace = new AdhocWorkspace();
        Project project = Open(workspace, Before.Replace(from, to, StringComparison.Ordinal), Compiler.Proto(Compiler.Compile(Before)));
        Diagnostic drift = Assert.Single(await Drift(project));
        Assert.Equal(id, drift.Id);

        Project after = await Apply(project, new ContractFix(), drift, title);
        string text = (await after.Documents.Single().GetTextAsync(Cancel)).ToString();
        Assert.Contains(Compact(part), Compact(text), StringComparison.Ordinal);
        Assert.DoesNotContain(await Drift(after), d => d.Id == id);
    }

    [Fact]
    public async Task ACompatibleChangeIsWrittenIntoTheManifest()
    {
        using var workspace = new AdhocWorkspace();
        Project project = Open(workspace, Before.Replace("Sent, Lost", "Sent, Lost, Found", StringComparison.Ordinal), Compiler.Proto(Compiler.Compile(Before)));
        Project after = await Apply(project, new ManifestFix(), Assert.Single(await Drift(project)), "Update shop.proto");
        Assert.Contains("STATE_FOUND = 3;", (await after.AdditionalDocuments.Single().GetTextAsync(Cancel)).ToString(), StringComparison.Ordinal);
        Assert.Empty(await Drift(after));
    }

    [Fact]
    public async Task ABreakCanBeAccepted()
    {
        using var workspace = new AdhocWorkspace();
        Project project = Open(workspace, Before.Replace("Order Get(Point id)", "Point Get(Order id)", StringComparison.Ordinal), Compiler.Proto(Compiler.Compile(Before)));
        IReadOnlyList<Diagnostic> drifts = await Drift(project);
        Assert.Equal(["IPCRPC036", "IPCRPC036"], drifts.Select(static d => d.Id));
        Project after = await Apply(project, new ManifestFix(), drifts[0], "Accept the break in shop.proto (nobody has the contract yet)");
        Assert.Empty(await Drift(after));
    }

    [Fact]
    public async Task AMissingManifestIsWrittenBesideTheContract()
    {
        using var workspace = new AdhocWorkspace();
        Project project = Open(workspace, Before, null);
        Project after = await Apply(project, new ManifestFix(), Assert.Single(await Drift(project)), "Write shop.v1.proto");
        TextDocument file = Assert.Single(after.AdditionalDocuments);
        Assert.Equal("/project/contracts/shop.v1.proto", file.FilePath);
        Assert.Equal(["contracts"], file.Folders);
        Assert.Empty(await Drift(after));
    }

    [Fact]
    public void EveryDriftHasAFix()
    {
        IEnumerable<string> fixable = new ManifestFix().FixableDiagnosticIds;
        Assert.Equal(
            new DriftAnalyzer().SupportedDiagnostics.Select(static d => d.Id).Except(["IPCRPC041", "IPCRPC043"]), // of these the file is wrong, not the contract
            fixable);
        Assert.Subset(fixable.ToHashSet(), new ContractFix().FixableDiagnosticIds.ToHashSet());
    }

    private static Project Open(AdhocWorkspace workspace, string source, string? manifest)
    {
        var id = ProjectId.CreateNewId();
        Solution solution = workspace.CurrentSolution
            .AddProject(ProjectInfo.Create(id, VersionStamp.Default, "Contracts", "Contracts", LanguageNames.CSharp, "/project/Contracts.csproj"))
            .WithProjectCompilationOptions(id, new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable))
            .WithProjectMetadataReferences(id, Compiler.References)
            .AddDocument(DocumentId.CreateNewId(id), "Contract.cs", SourceText.From(Compiler.Usings + source), filePath: "/project/contracts/Contract.cs");
        if (manifest is not null)
            solution = solution.AddAdditionalDocument(DocumentId.CreateNewId(id), "shop.proto", SourceText.From(manifest), filePath: "/project/shop.proto");
        return solution.GetProject(id)!;
    }

    private static async Task<IReadOnlyList<Diagnostic>> Drift(Project project)
    {
        Compilation compilation = (await project.GetCompilationAsync(Cancel))!;
        Assert.Empty(compilation.GetDiagnostics(Cancel).Where(static d => d.Severity == DiagnosticSeverity.Error));
        return await compilation.WithAnalyzers(ImmutableArray.Create<DiagnosticAnalyzer>(new DriftAnalyzer()), project.AnalyzerOptions).GetAnalyzerDiagnosticsAsync(Cancel);
    }

    private static async Task<Project> Apply(Project project, CodeFixProvider provider, Diagnostic diagnostic, string title)
    {
        var actions = new List<CodeAction>();
        Document document = project.GetDocument(diagnostic.Location.SourceTree)!;
        await provider.RegisterCodeFixesAsync(new CodeFixContext(document, diagnostic, (action, _) => actions.Add(action), Cancel));
        CodeAction action = Assert.Single(actions);
        Assert.Equal(title, action.Title);
        var change = (ApplyChangesOperation)Assert.Single(await action.GetOperationsAsync(Cancel));
        return change.ChangedSolution.GetProject(project.Id)!;
    }

    private static string Compact(string text) => string.Concat(text.Where(static c => !char.IsWhiteSpace(c)));

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;
}
