using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Ipc.Rpc.Generator;

/// <summary>Emits proxy, dispatcher, codecs and .proto of each contract. Symbols become records (Parsing), records become text (Emit).</summary>
/// <remarks>A contract with problems is left out; <see cref="ContractAnalyzer"/> reports them.</remarks>
[Generator(LanguageNames.CSharp)]
public sealed class ContractGenerator : IIncrementalGenerator
{
    /// <summary>The tracking name of the step whose results are the contract models.</summary>
    public const string ContractStep = "Ipc.Rpc.Contract";

    private static readonly Encoding _utf8 = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        // By attribute, which is what makes this cheap; an interface with several of them is the first one's.
        foreach (string attribute in ContractNames.Attributes)
            Register(context, attribute);
    }

    private static void Register(IncrementalGeneratorInitializationContext context, string attribute)
    {
        IncrementalValuesProvider<(ContractModel Model, string Path)> found = context.SyntaxProvider
            .ForAttributeWithMetadataName(
                attribute,
                static (node, cancel) => node is InterfaceDeclarationSyntax,
                (found, cancel) => (Model: Parse((INamedTypeSymbol)found.TargetSymbol, attribute, found.SemanticModel.Compilation), Path: found.TargetNode.SyntaxTree.FilePath))
            .Where(static found => found.Model is not null)
            .Select(static (found, _) => (found.Model!, found.Path));
        IncrementalValuesProvider<ContractModel> contracts = found.Select(static (found, _) => found.Model).WithTrackingName(ContractStep);

        ManifestGenerator.Register(context, found);
        context.RegisterSourceOutput(contracts, static (output, contract) =>
            output.AddSource(contract.HintName, SourceText.From(ContractEmitter.Emit(contract), _utf8)));
    }

    private static ContractModel? Parse(INamedTypeSymbol type, string attribute, Compilation compilation)
        => type.ContractAttribute() is { } own && own.AttributeClass?.FullName() == attribute
            ? ContractParser.Parse(type, own, compilation, out _)
            : null;
}
