using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Ipc.Docs.Tests.Reference;

/// <summary>The docstrings of an assembly, as the compiler wrote them beside it.</summary>
internal sealed partial class Docstrings
{
    private readonly Dictionary<(string Type, string Name, int Parameters), XElement> _members = [];

    public Docstrings(string file)
    {
        foreach (XElement member in XDocument.Load(file).Descendants("member"))
        {
            string id = member.Attribute("name")!.Value;
            string[] parts = id[2..].Split('(', 2);
            string name = id[0] == 'T' ? "" : parts[0][(parts[0].LastIndexOf('.') + 1)..];
            string type = id[0] == 'T' ? parts[0] : parts[0][..parts[0].LastIndexOf('.')];
            _members.TryAdd((type, name.Split('`')[0], parts.Length == 1 ? 0 : Count(parts[1])), member);
        }
    }

    public XElement? Of(PublicType type) => _members.GetValueOrDefault((type.FullName, "", 0));

    public XElement? Of(PublicType type, PublicMember member, IEnumerable<PublicType> all)
    {
        XElement? own = _members.GetValueOrDefault((type.FullName, member.IsConstructorOf(type.Name) ? "#ctor" : member.Name, member.Parameters));
        if (own?.Element("inheritdoc") is null && own is not null)
            return own;
        return all.Where(other => type.Bases.Any(name => name.Split('<')[0] == other.FullName.Split('`')[0])).Select(other => Of(other, member, all)).FirstOrDefault(static found => found is not null);
    }

    /// <summary>Words, with references as code.</summary>
    public static string Words(XElement? element)
        => element is null ? "" : Blanks().Replace(string.Concat(element.Nodes().Select(static node => node switch
        {
            XElement { Name.LocalName: "see" or "seealso" } see => "`" + Short(see.Attribute("cref")?.Value ?? see.Attribute("langword")?.Value ?? "") + "`",
            XElement { Name.LocalName: "paramref" or "typeparamref" } name => "`" + name.Attribute("name")!.Value + "`",
            XElement { Name.LocalName: "c" } code => "`" + code.Value + "`",
            XElement inner => " " + Words(inner) + " ",
            XText text => text.Value,
            _ => "",
        })), " ").Trim();

    private static string Short(string reference)
    {
        string name = reference.Split('(')[0];
        return name[(name.LastIndexOf('.') + 1)..].Split('`')[0];
    }

    private static int Count(string parameters)
    {
        int depth = 0;
        return 1 + parameters.Count(c =>
        {
            depth += c is '{' or '[' ? 1 : c is '}' or ']' ? -1 : 0;
            return c == ',' && depth == 0;
        });
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
