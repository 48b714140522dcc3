using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Xml.Linq;

namespace Ipc.Docs.Tests.Reference;

/// <summary>One page for each public type: what it is, then every member with its contract.</summary>
internal static class Pages
{
    public static string Page(PublicType type, Docstrings words, IReadOnlyCollection<PublicType> all)
    {
        var page = new StringBuilder();
        XElement? own = words.Of(type);
        page.Append("# ").Append(type.Name).Append("\n\n```csharp\n").Append(type.Declaration).Append("\n```\n\n");
        page.Append(Docstrings.Words(own?.Element("summary"))).Append("\n\n");
        if (own?.Element("remarks") is { } remarks)
            page.Append(Docstrings.Words(remarks)).Append("\n\n");
        if (type.Members.Length == 0)
            return page.ToString();

        page.Append("| member | |\n|---|---|\n");
        foreach (PublicMember member in type.Members)
            page.Append("| `").Append(member.Signature.Replace("|", "\\|")).Append("` | ").Append(Row(words.Of(type, member, all))).Append(" |\n");
        return page.ToString();
    }

    public static string Index(IEnumerable<(string Assembly, PublicType Type, string Summary)> types)
    {
        var page = new StringBuilder("# Reference\n");
        foreach (var assembly in types.GroupBy(static entry => entry.Assembly))
        {
            page.Append("\n## ").Append(assembly.Key).Append("\n\n| type | |\n|---|---|\n");
            foreach ((_, PublicType type, string summary) in assembly)
                page.Append("| [").Append(type.Name).Append("](").Append(type.File).Append(") | ").Append(summary.Replace("|", "\\|")).Append(" |\n");
        }

        return page.ToString();
    }

    private static string Row(XElement? member)
    {
        if (member is null)
            return "";
        IEnumerable<string> parts = new[] { Docstrings.Words(member.Element("summary")) }
            .Concat(member.Elements("param").Where(static p => p.Value.Length > 0).Select(static p => "*" + p.Attribute("name")!.Value + "*: " + Docstrings.Words(p)))
            .Concat(member.Elements("returns").Select(static r => "**Returns** " + Docstrings.Words(r)))
            .Concat(member.Elements("exception").Select(static e => "**Throws** `" + e.Attribute("cref")!.Value.Split('.')[^1] + "`: " + Docstrings.Words(e)))
            .Concat(member.Elements("remarks").Select(Docstrings.Words));
        return string.Join("<br>", parts.Where(static part => part.Length > 0)).Replace("|", "\\|");
    }
}
