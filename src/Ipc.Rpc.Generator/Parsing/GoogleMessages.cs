using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ipc.Rpc.Generator;

/// <summary>Classes that protoc wrote. They are sent as they are; the contract's .proto imports theirs.</summary>
/// <remarks>
/// Which file that is, and what the message is called in it, stands in the descriptor that protoc puts into the C# file as base64
/// text. That can be read where the file is part of this compilation. Of a class in another assembly only its C# name is known:
/// then the message is named by that, and the import is left to the reader.
/// </remarks>
internal static class GoogleMessages
{
    private const string Interface = "Google.Protobuf.IMessage`1";
    private const string WellKnownNamespace = "Google.Protobuf.WellKnownTypes";

    public static bool IsOne(INamedTypeSymbol type)
        => type.TypeKind == TypeKind.Class
            && type.AllInterfaces.Any(i => i.FullName() == Interface && SymbolEqualityComparer.Default.Equals(i.TypeArguments[0], type));

    /// <summary>The message's name, with a dot before its package, and the file that has it; an empty file when that is not known.</summary>
    public static (string ProtoType, string Import) Locate(INamedTypeSymbol type, Compilation compilation)
    {
        string space = ContractNames.Namespace(type);
        if (space == WellKnownNamespace)
            return (".google.protobuf." + Nested(type), WellKnownFile(type.Name));

        if (SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, compilation.Assembly) && Descriptor(type) is var (file, package))
            return ("." + (package.Length == 0 ? "" : package + ".") + Nested(type), file);
        return ("." + (space.Length == 0 ? "" : space.ToLowerInvariant() + ".") + Nested(type), "");
    }

    /// <summary>protoc puts a nested message into a class Types within its outer one.</summary>
    private static string Nested(INamedTypeSymbol type)
        => type.ContainingType is null ? type.Name
            : type.ContainingType.Name == "Types" ? (type.ContainingType.ContainingType is { } outer ? Nested(outer) + "." : "") + type.Name
            : Nested(type.ContainingType) + "." + type.Name;

    private static string WellKnownFile(string name) => "google/protobuf/" + name switch
    {
        "BoolValue" or "BytesValue" or "DoubleValue" or "FloatValue" or "Int32Value" or "Int64Value" or "StringValue" or "UInt32Value" or "UInt64Value" => "wrappers",
        "Struct" or "Value" or "ListValue" => "struct",
        "FieldMask" => "field_mask",
        _ => name.ToLowerInvariant(),
    } + ".proto";

    /// <summary>The first two fields of the FileDescriptorProto in the message's source file: name and package.</summary>
    private static (string File, string Package)? Descriptor(INamedTypeSymbol type)
    {
        foreach (SyntaxReference declaration in type.DeclaringSyntaxReferences)
        {
            IEnumerable<InvocationExpressionSyntax> calls = declaration.SyntaxTree.GetRoot().DescendantNodes().OfType<InvocationExpressionSyntax>();
            InvocationExpressionSyntax? decoded = calls.FirstOrDefault(static c => c.Expression.ToString().EndsWith("FromBase64String", StringComparison.Ordinal));
            if (decoded is null)
                continue;

            string text = string.Concat(decoded.DescendantNodes().OfType<LiteralExpressionSyntax>().Where(static l => l.IsKind(SyntaxKind.StringLiteralExpression)).Select(static l => l.Token.ValueText));
            if (ReadHead(text) is { } head)
                return head;
        }

        return null;
    }

    private static (string File, string Package)? ReadHead(string base64)
    {
        byte[] bytes;
        try
        {
            bytes = Convert.FromBase64String(base64);
        }
        catch (FormatException)
        {
            return null;
        }

        string file = "";
        string package = "";
        int position = 0;
        while (position + 1 < bytes.Length && bytes[position] is 0x0a or 0x12) // fields 1 and 2, text
        {
            bool isFile = bytes[position] == 0x0a;
            int length = bytes[position + 1];
            position += 2;
            if (length >= 0x80 && position < bytes.Length)
                length = (length & 0x7f) | (bytes[position++] << 7);
            if (position + length > bytes.Length)
                return null;

            string text = Encoding.UTF8.GetString(bytes, position, length);
            if (isFile)
                file = text;
            else
                package = text;
            position += length;
        }

        return file.Length == 0 ? null : (file, package);
    }
}
