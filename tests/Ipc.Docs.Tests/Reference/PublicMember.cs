using System.Text.RegularExpressions;

namespace Ipc.Docs.Tests.Reference;

/// <summary>A line of a PublicAPI.txt, and what the docstrings know it by: its name and how many parameters it has.</summary>
internal sealed partial record PublicMember(string Signature, string Name, int Parameters)
{
    public static PublicMember Parse(string line)
    {
        string text = Frameworks().Replace(Attributes().Replace(line.Trim(), ""), "");
        int end = Cut(text);
        string name = LastWord().Match(text[..end]).Groups[1].Value;
        return new PublicMember(text, name, end < text.Length && text[end] == '(' ? Count(text, end) : 0);
    }

    /// <summary>A constructor has the name of its type, and #ctor in the docstrings.</summary>
    public bool IsConstructorOf(string type) => Name == type;

    /// <summary>What the runtime or the compiler calls, and nobody reads about.</summary>
    public bool NeedsNoWords(string type)
        => Name is "Equals" or "GetHashCode" or "ToString" or "GetEnumerator" || Signature.Contains(" operator ") || (IsConstructorOf(type) && Parameters == 0);

    /// <summary>Where the name ends: at the parameters, the accessors or the value.</summary>
    private static int Cut(string text)
    {
        int depth = 0;
        for (int i = 0; i < text.Length; i++)
        {
            depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
            if (depth == 0 && (text[i] == '(' || text[i] == '{' || text[i] == '='))
                return i;
        }

        return text.Length;
    }

    private static int Count(string text, int from)
    {
        int depth = 0, count = 1;
        int i = from + 1;
        for (; i < text.Length && (text[i] != ')' || depth > 0); i++)
        {
            depth += text[i] is '<' or '(' or '[' ? 1 : text[i] is '>' or ')' or ']' ? -1 : 0;
            count += text[i] == ',' && depth == 0 ? 1 : 0;
        }

        return i == from + 1 ? 0 : count;
    }

    [GeneratedRegex(@"^\[[^\]]*\]\s+")]
    private static partial Regex Attributes();

    [GeneratedRegex(@"\s+\[(net|netstandard)[^\]]*\]$")]
    private static partial Regex Frameworks();

    [GeneratedRegex(@"([A-Za-z_]\w*)(?:<[^<>()]*>)?\??\s*$")]
    private static partial Regex LastWord();
}
