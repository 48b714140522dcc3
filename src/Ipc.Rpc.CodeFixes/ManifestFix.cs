using System;
using System.Collections.Immutable;
using System.Composition;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc.Generator;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.Text;

namespace Ipc.Rpc.CodeFixes;

/// <summary>Writes the checked-in .proto: what is new and compatible, or, on request, what is not.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ManifestFix)), Shared]
public sealed class ManifestFix : CodeFixProvider
{
    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create(
        "IPCRPC030", "IPCRPC031", "IPCRPC032", "IPCRPC033", "IPCRPC034", "IPCRPC035", "IPCRPC036", "IPCRPC037", "IPCRPC038", "IPCRPC039", "IPCRPC040", "IPCRPC042", "IPCRPC044", "IPCRPC045");

    /// <summary>None: one fix writes the whole file, and two contracts have two files.</summary>
    public override FixAllProvider? GetFixAllProvider() => null;

    /// <inheritdoc/>
    public override Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            if (!diagnostic.Properties.TryGetValue(DriftAnalyzer.PathProperty, out string? path) || path is null
                || !diagnostic.Properties.TryGetValue(DriftAnalyzer.TextProperty, out string? text) || text is null)
                continue;

            string file = Path.GetFileName(path);
            string title = diagnostic.Id switch
            {
                "IPCRPC040" => "Update " + file,
                "IPCRPC042" => "Write " + file,
                _ => "Accept the break in " + file + " (nobody has the contract yet)",
            };
            context.RegisterCodeFix(CodeAction.Create(title, _ => Task.FromResult(Write(context.Document.Project, path, text)), nameof(ManifestFix) + path), diagnostic);
        }

        return Task.CompletedTask;
    }

    private static Solution Write(Project project, string path, string text)
    {
        TextDocument? known = project.AdditionalDocuments.FirstOrDefault(d => d.FilePath == path);
        if (known is not null)
            return project.Solution.WithAdditionalDocumentText(known.Id, SourceText.From(text));

        string root = Path.GetDirectoryName(project.FilePath ?? "") ?? "";
        string folder = Path.GetDirectoryName(path) ?? "";
        string below = root.Length > 0 && folder.StartsWith(root, StringComparison.Ordinal) ? folder.Substring(root.Length) : "";
        string[] folders = below.Split(new[] { Path.DirectorySeparatorChar, Path.AltDirectorySeparatorChar }, StringSplitOptions.RemoveEmptyEntries);
        return project.AddAdditionalDocument(Path.GetFileName(path), SourceText.From(text), folders, path).Project.Solution;
    }
}
