using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace Ipc.Docs.Tests.Reference;

/// <summary>A type of a PublicAPI.txt with its lines.</summary>
internal sealed partial record PublicType(string Declaration, string FullName, string[] Bases, PublicMember[] Members)
{
    public string Name => FullName[(FullName.LastIndexOf('.') + 1)..].Split('`')[0];

    public string File => FullName.Replace('`', '-') + ".md";

    public static IEnumerable<PublicType> ReadAll(string text)
    {
        foreach (string block in text.Split("\n\n", StringSplitOptions.RemoveEmptyEntries))
        {
            string[] lines = [.. block.Split('\n').Where(static line => line.Length > 0 && !line.StartsWith('#'))];
            if (lines.Length == 0)
                continue;
            Match name = TypeName().Match(lines[0]);
            int arity = name.Groups[2].Value.Length == 0 ? 0 : name.Groups[2].Value.Count(static c => c == ',') + 1;
            string[] bases = [.. lines.Skip(1).Where(static line => line.TrimStart().StartsWith(": ", StringComparison.Ordinal)).Select(static line => line.Trim()[2..])];
            PublicMember[] members = [.. lines.Skip(1).Where(static line => !line.TrimStart().StartsWith(':')).Select(PublicMember.Parse)];
            yield return new PublicType(lines[0], name.Groups[1].Value + (arity == 0 ? "" : "`" + arity), bases, name.Groups[0].Value.StartsWith("delegate", StringComparison.Ordinal) ? [] : members);
        }
    }

    [GeneratedRegex(@"(?:(?:class|struct|interface|enum) |delegate [^(]*?)(Ipc\.[\w.]+)(<[^(]*?>)?(?=$|\(| where|\s*$)")]
    private static partial Regex TypeName();
}
