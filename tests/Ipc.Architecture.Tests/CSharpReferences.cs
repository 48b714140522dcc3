using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ipc.Architecture.Tests;

/// <summary>Which folder of a C# library names types of which other one. Asked of the compiler, so that a word in a comment is none and an inferred type is one.</summary>
internal static class CSharpReferences
{
    private static readonly MetadataReference[] s_framework = [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
        .Split(Path.PathSeparator)
        .Select(static path => MetadataReference.CreateFromFile(path))];

    public static IReadOnlyList<Reference> Of(string library)
    {
        CSharpParseOptions options = CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Preview)
            .WithPreprocessorSymbols("NET", "NET8_0_OR_GREATER", "NET9_0_OR_GREATER", "NET10_0_OR_GREATER");
        string top = Repository.PathOf(library);
        SyntaxTree[] trees = [.. Repository.Files(library, ".cs")
            .Select(file => CSharpSyntaxTree.ParseText(File.ReadAllText(file), options, Path.GetRelativePath(top, file)))];
        string name = Path.GetFileName(library);
        CSharpCompilation compilation = CSharpCompilation.Create(
            name,
            trees,
            s_framework.Where(reference => Path.GetFileNameWithoutExtension(reference.Display) != name),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Enable));
        return [.. trees.SelectMany(tree => Of(tree, compilation)).Distinct()];
    }

    private static IEnumerable<Reference> Of(SyntaxTree tree, CSharpCompilation compilation)
    {
        SemanticModel model = compilation.GetSemanticModel(tree);
        string from = FolderOf(tree.FilePath);
        foreach (SimpleNameSyntax name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
        {
            ISymbol? symbol = model.GetSymbolInfo(name).Symbol;
            INamedTypeSymbol? type = symbol as INamedTypeSymbol ?? symbol?.ContainingType;
            foreach (SyntaxReference declared in type?.OriginalDefinition.DeclaringSyntaxReferences ?? [])
            {
                string to = FolderOf(declared.SyntaxTree.FilePath);
                if (to != from && !type!.Name.StartsWith('<')) // what the compiler makes of a program's first lines
                    yield return new Reference(from, to, tree.FilePath, type.Name);
            }
        }
    }

    private static string FolderOf(string file) => file.Contains('/', StringComparison.Ordinal) ? file[..file.IndexOf('/', StringComparison.Ordinal)] : "";
}
