using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Ipc.Api.Tests;

/// <summary>The public surface of a library as text for a reviewer: a line per type, base and member, by name.</summary>
/// <remarks>
/// A line that holds for every framework stands alone; another one names the frameworks for which it holds. So one file tells
/// what the users of each of them get, and a difference between them is never an accident.
/// </remarks>
internal static class Surface
{
    private const SymbolDisplayGenericsOptions Generics = SymbolDisplayGenericsOptions.IncludeTypeParameters
        | SymbolDisplayGenericsOptions.IncludeTypeConstraints | SymbolDisplayGenericsOptions.IncludeVariance;

    private const SymbolDisplayParameterOptions Parameters = SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName
        | SymbolDisplayParameterOptions.IncludeModifiers | SymbolDisplayParameterOptions.IncludeDefaultValue | SymbolDisplayParameterOptions.IncludeExtensionThis;

    private const SymbolDisplayMiscellaneousOptions Words = SymbolDisplayMiscellaneousOptions.UseSpecialTypes
        | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers | SymbolDisplayMiscellaneousOptions.AllowDefaultLiteral
        | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier;

    private static readonly SymbolDisplayFormat _typeFormat = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        genericsOptions: Generics,
        delegateStyle: SymbolDisplayDelegateStyle.NameAndSignature,
        parameterOptions: Parameters,
        miscellaneousOptions: Words);

    private static readonly SymbolDisplayFormat _memberFormat = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: Generics,
        memberOptions: SymbolDisplayMemberOptions.IncludeModifiers | SymbolDisplayMemberOptions.IncludeAccessibility | SymbolDisplayMemberOptions.IncludeType
            | SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeConstantValue | SymbolDisplayMemberOptions.IncludeRef,
        parameterOptions: Parameters,
        propertyStyle: SymbolDisplayPropertyStyle.ShowReadWriteDescriptor,
        kindOptions: SymbolDisplayKindOptions.IncludeMemberKeyword,
        miscellaneousOptions: Words);

    /// <summary>What a user may have to know and the signature does not say.</summary>
    private static readonly string[] _attributes = ["Obsolete", "Flags", "EditorBrowsable", "AttributeUsage", "SupportedOSPlatform", "RequiresUnreferencedCode", "RequiresDynamicCode"];

    public static string Of(string library)
    {
        // A line, and what sorts it: its type, its kind there, its name -> the frameworks that have it.
        var lines = new SortedDictionary<Line, List<string>>();
        foreach (Asset asset in Asset.FrameworksOf(library).Select(framework => new Asset(library, framework)))
        {
            foreach (INamedTypeSymbol type in asset.Types())
            {
                foreach (Line line in Describe(type))
                {
                    if (!lines.TryGetValue(line, out List<string>? frameworks))
                        lines.Add(line, frameworks = []);
                    frameworks.Add(asset.Framework);
                }
            }
        }

        var text = new StringBuilder();
        text.Append("# The public surface of ").Append(library).Append(": a change of this file is a change for its users, and is reviewed as one.\n");
        text.Append("# tests/Ipc.Api.Tests writes it with IPC_UPDATE_API=1. A line that ends in [...] holds for these frameworks only.\n");
        foreach ((Line line, List<string> frameworks) in lines)
        {
            text.Append(line.Kind == LineKind.Type ? "\n" : "    ").Append(line.Text);
            if (frameworks.Count != Asset.FrameworksOf(library).Length)
                text.Append("  [").AppendJoin(' ', frameworks).Append(']');
            text.Append('\n');
        }

        return text.ToString();
    }

    private static IEnumerable<Line> Describe(INamedTypeSymbol type)
    {
        string id = type.GetDocumentationCommentId()!;
        yield return new Line(id, LineKind.Type, "", Attributes(type) + Modifiers(type) + " " + type.ToDisplayString(_typeFormat));
        if (type.TypeKind == TypeKind.Delegate)
            yield break;

        if (type.TypeKind == TypeKind.Enum)
            yield return new Line(id, LineKind.Base, "", ": " + type.EnumUnderlyingType!.ToDisplayString(_typeFormat));
        if (type.BaseType is { SpecialType: not (SpecialType.System_Object or SpecialType.System_ValueType or SpecialType.System_Enum) } parent)
            yield return new Line(id, LineKind.Base, "", ": " + parent.ToDisplayString(_typeFormat));
        if (type.TypeKind != TypeKind.Enum)
        {
            foreach (INamedTypeSymbol face in type.Interfaces.Where(static i => i.DeclaredAccessibility == Accessibility.Public))
                yield return new Line(id, LineKind.Interface, "", ": " + face.ToDisplayString(_typeFormat));
        }

        foreach (ISymbol member in Asset.Members(type))
        {
            string text = member is IFieldSymbol { ContainingType.TypeKind: TypeKind.Enum, ConstantValue: { } value }
                ? member.Name + " = " + Convert.ToString(value, CultureInfo.InvariantCulture)
                : member.ToDisplayString(_memberFormat);
            yield return new Line(id, LineKind.Member, member.Name, Attributes(member) + text);
        }
    }

    private static string Modifiers(INamedTypeSymbol type)
    {
        var words = new List<string> { type.DeclaredAccessibility == Accessibility.Public ? "public" : "protected" };
        if (type.TypeKind == TypeKind.Class)
            words.AddRange(type.IsStatic ? ["static"] : type.IsAbstract ? ["abstract"] : type.IsSealed ? ["sealed"] : []);
        if (type.TypeKind == TypeKind.Struct && type.IsReadOnly)
            words.Add("readonly");
        if (type.IsRefLikeType)
            words.Add("ref");
        if (type.IsRecord)
            words.Add("record");
        words.Add(type.TypeKind.ToString().ToLowerInvariant());
        return string.Join(' ', words);
    }

    private static string Attributes(ISymbol symbol) => string.Concat(symbol.GetAttributes()
        .Where(static a => Array.Exists(_attributes, name => a.AttributeClass!.Name == name + "Attribute") && !IsCompilersOwn(a))
        .Select(static a => "[" + a.AttributeClass!.Name[..^"Attribute".Length] + a.ToString()![a.AttributeClass.ToDisplayString().Length..] + "] ")
        .OrderBy(static text => text, StringComparer.Ordinal));

    /// <summary>Compilers mark ref structs as obsolete for compilers that do not know them.</summary>
    private static bool IsCompilersOwn(AttributeData attribute)
        => attribute.AttributeClass!.Name == "ObsoleteAttribute" && attribute.ConstructorArguments is [{ Value: string reason }, ..]
            && reason.Contains("not supported in this version of your compiler", StringComparison.Ordinal);
}
