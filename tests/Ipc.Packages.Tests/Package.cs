using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Xml.Linq;

namespace Ipc.Packages.Tests;

/// <summary>What is in a package, and in the one of its symbols.</summary>
/// <param name="path">Both, without their extensions.</param>
public sealed class Package(string path)
{
    private readonly Dictionary<string, byte[]> _all = Read(path + ".nupkg");

    /// <summary>What its makers put there, by its path.</summary>
    public IEnumerable<string> Files => _all.Keys.Where(static file => !IsOfTheFormat(file)).Order(StringComparer.Ordinal);

    /// <summary>None of what has no assemblies of its own.</summary>
    public Dictionary<string, byte[]> Symbols { get; } = File.Exists(path + ".snupkg") ? Read(path + ".snupkg") : [];

    /// <summary>Everything that is in either.</summary>
    public IEnumerable<KeyValuePair<string, byte[]>> Everything => _all.Concat(Symbols);

    /// <summary>Without the namespace, which is that of the format's version.</summary>
    public XElement Metadata => Nuspec.Root!.Elements().Single(static element => element.Name.LocalName == "metadata");

    /// <summary>"FRAMEWORK: ID VERSION" for each; "FRAMEWORK: nothing" for a framework without any.</summary>
    public IEnumerable<string> Dependencies => Nuspec.Descendants().Where(static element => element.Name.LocalName == "group").SelectMany(Of);

    private XDocument Nuspec => XDocument.Load(new MemoryStream(_all.Single(static file => file.Key.EndsWith(".nuspec", StringComparison.Ordinal)).Value));

    public byte[] this[string file] => _all.GetValueOrDefault(file, []);

    private static bool IsOfTheFormat(string file) => file.StartsWith("_rels/", StringComparison.Ordinal) || file.StartsWith("package/", StringComparison.Ordinal)
        || file.StartsWith("[Content_Types]", StringComparison.Ordinal) || file.EndsWith(".nuspec", StringComparison.Ordinal);

    private static IEnumerable<string> Of(XElement group)
    {
        string framework = group.Attribute("targetFramework")!.Value;
        string[] needs = [.. group.Elements().Select(need => $"{framework}: {Need(need)}")];
        return needs.Length == 0 ? [$"{framework}: nothing"] : needs;
    }

    private static string Need(XElement need)
    {
        string id = (need.Attribute("id") ?? need.Attribute("name"))!.Value;
        return id.StartsWith("Ipc.", StringComparison.Ordinal) ? $"{id}, the same version" : $"{id} {need.Attribute("version")?.Value}".TrimEnd();
    }

    private static Dictionary<string, byte[]> Read(string file)
    {
        using ZipArchive archive = ZipFile.OpenRead(file);
        Dictionary<string, byte[]> files = [];
        foreach (ZipArchiveEntry entry in archive.Entries.Where(static entry => !entry.FullName.EndsWith('/')))
        {
            using MemoryStream bytes = new();
            using (Stream content = entry.Open())
                content.CopyTo(bytes);
            files.Add(entry.FullName, bytes.ToArray());
        }

        return files;
    }
}
