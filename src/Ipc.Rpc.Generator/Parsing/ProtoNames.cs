using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Names as protobuf writes them.</summary>
internal static class ProtoNames
{
    /// <summary><c>ProcessId</c> and <c>processID</c> become <c>process_id</c>, <c>IOBytes</c> becomes <c>io_bytes</c>.</summary>
    public static string Snake(string name)
    {
        var text = new StringBuilder(name.Length + 8);
        for (int i = 0; i < name.Length; i++)
        {
            char c = name[i];
            if (IsUpper(c) && i > 0 && name[i - 1] != '_')
            {
                bool afterWord = !IsUpper(name[i - 1]);
                bool beforeWord = i + 1 < name.Length && name[i + 1] is >= 'a' and <= 'z';
                if (afterWord || beforeWord)
                    text.Append('_');
            }

            text.Append(IsUpper(c) ? (char)(c | 0x20) : c);
        }

        return text.ToString();
    }

    public static string UpperSnake(string name) => new(Snake(name).Select(static c => c is >= 'a' and <= 'z' ? (char)(c & ~0x20) : c).ToArray());

    /// <summary>The first letter in upper case, as C# members are named.</summary>
    public static string Pascal(string name) => name.Length > 0 && name[0] is >= 'a' and <= 'z' ? (char)(name[0] & ~0x20) + name.Substring(1) : name;

    /// <summary>The name protobuf's JSON derives from a field name, in one case: two fields with the same one are refused by protoc.</summary>
    public static string JsonKey(string name) => new(name.Where(static c => c != '_').Select(static c => IsUpper(c) ? (char)(c | 0x20) : c).ToArray());

    public static bool IsIdentifier(string? name)
        => name is { Length: > 0 } && !IsDigit(name[0]) && name.All(static c => c == '_' || IsDigit(c) || IsUpper(c) || c is >= 'a' and <= 'z');

    public static bool IsDottedIdentifier(string? name) => name is not null && name.Split('.').All(IsIdentifier);

    /// <summary>A message or enum: the attribute's name, or the type's with those of the types around it.</summary>
    public static string OfType(INamedTypeSymbol type)
    {
        string name = (type.Attribute(TypeNames.DataContract).Named("Name") ?? type.Attribute(TypeNames.ProtoContract).Named("Name")) as string ?? "";
        if (name.Length > 0)
            return name;

        name = type.Name;
        for (INamedTypeSymbol? outer = type.ContainingType; outer is not null; outer = outer.ContainingType)
            name = outer.Name + name;
        return name;
    }

    private static bool IsUpper(char c) => c is >= 'A' and <= 'Z';

    private static bool IsDigit(char c) => c is >= '0' and <= '9';
}
