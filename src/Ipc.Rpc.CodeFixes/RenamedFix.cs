using System.Linq;
using Ipc.Rpc.Generator;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Simplification;

namespace Ipc.Rpc.CodeFixes;

/// <summary>Says of a field, a parameter or an enum's value that its name is new and its meaning is not.</summary>
internal static class RenamedFix
{
    public static (string Title, SyntaxNode Old, SyntaxNode New)? Of(SyntaxNode node, Diagnostic diagnostic)
    {
        if (!diagnostic.Properties.TryGetValue(DriftAnalyzer.OldNameProperty, out string? old) || old is null)
            return null;

        string title = "Say that it was renamed: [IpcRenamed(\"" + old + "\")]";
        SyntaxNode? declaration = node.FirstAncestorOrSelf<SyntaxNode>(static n => n is ParameterSyntax or EnumMemberDeclarationSyntax or PropertyDeclarationSyntax or FieldDeclarationSyntax);
        return declaration switch
        {
            // What a record's parameter becomes is a property, and that is the field.
            ParameterSyntax { Parent.Parent: TypeDeclarationSyntax } property => (title, property, property.WithAttributeLists(property.AttributeLists.Add(List(old, isProperty: true)))),
            ParameterSyntax parameter => (title, parameter, parameter.WithAttributeLists(parameter.AttributeLists.Add(List(old)))),
            MemberDeclarationSyntax member => (title, member, Added(member, List(old))),
            _ => null,
        };
    }

    private static MemberDeclarationSyntax Added(MemberDeclarationSyntax member, AttributeListSyntax list)
        => member.AttributeLists.Count > 0
            ? member.WithAttributeLists(member.AttributeLists.Add(list.WithTrailingTrivia(member.AttributeLists.Last().GetTrailingTrivia())))
            : member.WithoutLeadingTrivia().WithAttributeLists(SyntaxFactory.SingletonList(list)).WithLeadingTrivia(member.GetLeadingTrivia());

    private static AttributeListSyntax List(string old, bool isProperty = false)
    {
        LiteralExpressionSyntax name = SyntaxFactory.LiteralExpression(SyntaxKind.StringLiteralExpression, SyntaxFactory.Literal(old));
        AttributeSyntax attribute = SyntaxFactory.Attribute(
            SyntaxFactory.ParseName("global::Ipc.Rpc.IpcRenamed").WithAdditionalAnnotations(Simplifier.Annotation),
            SyntaxFactory.AttributeArgumentList(SyntaxFactory.SingletonSeparatedList(SyntaxFactory.AttributeArgument(name))));
        AttributeListSyntax list = SyntaxFactory.AttributeList(SyntaxFactory.SingletonSeparatedList(attribute));
        return isProperty ? list.WithTarget(SyntaxFactory.AttributeTargetSpecifier(SyntaxFactory.Token(SyntaxKind.PropertyKeyword))) : list;
    }
}
