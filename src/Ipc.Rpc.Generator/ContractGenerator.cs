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
        IncrementalValuesProvider<ContractModel> contracts = context.SyntaxProvider
            .ForAttributeWithMetadataName(
                TypeNames.ServiceAttribute,
                static (node, cancel) => node is InterfaceDeclarationSyntax,
                static (found, cancel) => ContractParser.Parse((INamedTypeSymbol)found.TargetSymbol, found.Attributes[0], found.SemanticModel.Compilation, out _))
            .Where(static contract => contract is not null)
            .Select(static (contract, _) => contract!)
            .WithTrackingName(ContractStep);

        context.RegisterSourceOutput(contracts, static (output, contract) =>
            output.AddSource(contract.HintName, SourceText.From(ContractEmitter.Emit(contract), _utf8)));
    }
}
