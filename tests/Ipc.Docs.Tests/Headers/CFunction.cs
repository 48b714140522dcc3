using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Ipc.Docs.Tests.Headers;

/// <summary>A function of a C header, with the comment that stands before it.</summary>
internal sealed partial record CFunction(string Name, bool ReturnsNothing, string[] Arguments, string Comment)
{
    public static IEnumerable<CFunction> Of(string header) => Declaration().Matches(header).Select(static match =>
    {
        string arguments = Space().Replace(match.Groups["arguments"].Value, " ");
        return new CFunction(
            match.Groups["name"].Value,
            match.Value.Contains("IPC_API void ipc_", StringComparison.Ordinal),
            arguments == "void" ? [] : [.. arguments.Split(',').Select(static argument => Last().Match(argument).Value)],
            match.Groups["comment"].Value);
    });

    /// <summary>What the comment says before its list.</summary>
    public string Text => Space().Replace(Comment.Split("\n *\n")[0].Replace("\n *", "", StringComparison.Ordinal)[3..].Replace("*/", "", StringComparison.Ordinal), " ").Trim();

    public string FirstSentence => Sentence().Match(Text) is { Success: true } match ? Text[..(match.Index + 1)] : Text;

    /// <summary>What is missing in the comment.</summary>
    public IEnumerable<string> Gaps()
    {
        if (Comment.Length == 0)
        {
            yield return "has no comment of its own";
            yield break;
        }

        foreach (string argument in Arguments.Where(argument => !Comment.Contains($"\n * {argument} ", StringComparison.Ordinal)))
            yield return $"does not say what {argument} is";
        if (ReturnsNothing == Comment.Contains("\n * Returns    ", StringComparison.Ordinal))
            yield return ReturnsNothing ? "returns nothing" : "does not say what it returns";
        if (!Behaviour().IsMatch(Comment))
            yield return "does not say how it blocks, what it allocates and who may call it";
        if (!Regex.IsMatch(Text, @"^[A-Z].*[.)]$"))
            yield return $"does not begin with a sentence: {Text}";
    }

    [GeneratedRegex(@"(?<comment>(?<=\n)/\* (?:(?!\*/).)*\*/\n)?(?<=\n)IPC_API [^;{]*?(?<name>ipc_[a-z0-9_]+)\((?<arguments>[^;]*)\);", RegexOptions.Singleline)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Space();

    [GeneratedRegex(@"\w+(?=\s*(\[\])?\s*$)")]
    private static partial Regex Last();

    [GeneratedRegex(@"\. [A-Z]")]
    private static partial Regex Sentence();

    [GeneratedRegex(@"\n \* Blocks     .*Allocates .*Threads: [^\n]", RegexOptions.Singleline)]
    private static partial Regex Behaviour();
}
