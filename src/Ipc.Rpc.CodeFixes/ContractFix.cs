using System.Collections.Immutable;
using System.Composition;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Generator;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

namespace Ipc.Rpc.CodeFixes;

/// <summary>Changes the contract so that it is no break any more: reserves a number, gives a field another one or its old one back, says that a name is new.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(ContractFix)), Shared]
public sealed class ContractFix : CodeFixProvider
{
    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create(
        "IPCRPC030", "IPCRPC031", "IPCRPC032", "IPCRPC033", "IPCRPC034", "IPCRPC038", "IPCRPC039", "IPCRPC045");

    /// <summary>None: each is a decision.</summary>
    public override FixAllProvider? GetFixAllProvider() => null;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            SyntaxNode? node = root?.FindNode(diagnostic.Location.SourceSpan);
            if (node is null || !diagnostic.Properties.TryGetValue(DriftAnalyzer.NumberProperty, out string? number) || number is null)
                continue;

            (string Title, SyntaxNode Old, SyntaxNode New)? fix = Fix(node, number, diagnostic);
            if (fix is not { } found)
                continue;

            Task<Document> Change(CancellationToken cancel) => Task.FromResult(context.Document.WithSyntaxRoot(root!.ReplaceNode(found.Old, found.New.WithAdditionalAnnotations(Formatter.Annotation))));
            context.RegisterCodeFix(CodeAction.Create(found.Title, Change, nameof(ContractFix) + number), diagnostic);
        }
    }

    private static (string Title, SyntaxNode Old, SyntaxNode New)? Fix(SyntaxNode node, string number, Diagnostic diagnostic)
    {
        if (diagnostic.Id == "IPCRPC038")
            return Rename(node, diagnostic);
        if (diagnostic.Id == "IPCRPC045")
            return RenamedFix.Of(node, diagnostic);
        if (node.FirstAncestorOrSelf<EnumMemberDeclarationSyntax>() is { } value)
            return ("Write '" + value.Identifier.ValueText + " = " + number + "'", value, value.WithEqualsValue(SyntaxFactory.EqualsValueClause(Literal(number))));
        if (node is BaseTypeDeclarationSyntax type)
            return type is InterfaceDeclarationSyntax ? null : ("Reserve the number " + number, type, Reserve(type, number));

        ExpressionSyntax? written = Numbers(node.FirstAncestorOrSelf<MemberDeclarationSyntax>()) ?? Numbers(node.FirstAncestorOrSelf<ParameterSyntax>());
        return written is null ? null : ("Give it the number " + number, written, Literal(number));
    }

    /// <summary>The number in [DataMember(Order = n)] or [ProtoMember(n)].</summary>
    private static ExpressionSyntax? Numbers(SyntaxNode? member)
    {
        SyntaxList<AttributeListSyntax> lists = member switch
        {
            MemberDeclarationSyntax declaration => declaration.AttributeLists,
            ParameterSyntax parameter => parameter.AttributeLists,
            _ => default,
        };
        foreach (AttributeSyntax attribute in lists.SelectMany(static l => l.Attributes))
        {
            string name = attribute.Name.ToString();
            AttributeArgumentSyntax? argument = name.Contains("ProtoMember") ? attribute.ArgumentList?.Arguments.FirstOrDefault(static a => a.NameEquals is null)
                : name.Contains("DataMember") ? attribute.ArgumentList?.Arguments.FirstOrDefault(static a => a.NameEquals?.Name.Identifier.ValueText == "Order")
                : null;
            if (argument is not null)
                return argument.Expression;
        }

        return null;
    }

    private static BaseTypeDeclarationSyntax Reserve(BaseTypeDeclarationSyntax type, string number)
    {
        AttributeSyntax attribute = SyntaxFactory.Attribute(
            SyntaxFactory.ParseName("global::Ipc.Rpc.IpcReserved").WithAdditionalAnnotations(Microsoft.CodeAnalysis.Simplification.Simplifier.Annotation),
            SyntaxFactory.AttributeArgumentList(SyntaxFactory.SingletonSeparatedList(SyntaxFactory.AttributeArgument(Literal(number)))));
        AttributeListSyntax list = SyntaxFactory.AttributeList(SyntaxFactory.SingletonSeparatedList(attribute));
        return type.AttributeLists.Count == 0
            ? type.WithoutLeadingTrivia().WithAttributeLists(SyntaxFactory.SingletonList(list)).WithLeadingTrivia(type.GetLeadingTrivia())
            : type.WithAttributeLists(type.AttributeLists.Add(list.WithTrailingTrivia(SyntaxFactory.ElasticCarriageReturnLineFeed)));
    }

    private static (string Title, SyntaxNode Old, SyntaxNode New)? Rename(SyntaxNode node, Diagnostic diagnostic)
    {
        AttributeArgumentSyntax? name = node.FirstAncestorOrSelf<InterfaceDeclarationSyntax>()?.AttributeLists.SelectMany(static l => l.Attributes)
            .Where(static a => a.Name.ToString().Contains("IpcService"))
            .Select(static a => a.ArgumentList?.Arguments.FirstOrDefault(static x => x.NameEquals is null)).FirstOrDefault();
        if (name is null || !diagnostic.Properties.TryGetValue(DriftAnalyzer.OldNameProperty, out string? old) || old is null)
            return null;

        LiteralExpressionSyntax literal = SyntaxFactory.LiteralExpression(SyntaxKind.StringLiteralExpression, SyntaxFactory.Literal(old));
        return ("Call it \"" + old + "\" again", name.Expression, literal);
    }

    private static ExpressionSyntax Literal(string number) => SyntaxFactory.ParseExpression(int.Parse(number, CultureInfo.InvariantCulture).ToString(CultureInfo.InvariantCulture));
}
