using System;
using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Packages.Tests;

/// <summary>Where projects outside the repository have their packages from.</summary>
internal static class PackageSources
{
    /// <summary>Writes a nuget.config: Ipc's packages come from the feed and from nowhere else; what they need comes from where this machine gets it, out of its cache if it is there.</summary>
    public static void Write(string config, string feed)
    {
        string[] sources = [.. Lines("list", "source").Where(static line => line.EndsWith(" [Enabled]", StringComparison.Ordinal)).Select(static line => line[(line.IndexOf('.') + 1)..^" [Enabled]".Length].Trim())];
        string cache = Lines("locals", "global-packages", "-l").Single(static line => line.StartsWith("global-packages: ", StringComparison.Ordinal))["global-packages: ".Length..];
        new XDocument(new XElement("configuration",
            new XElement("packageSources", Add("the folder", feed)),
            new XElement("packageSourceMapping", From("the folder", "Ipc.*"), sources.Select(static source => From(source, "*"))),
            new XElement("fallbackPackageFolders", Add("cache", cache)))).Save(config);
    }

    /// <summary>Writes one as `dotnet nuget add source` does, for somebody who has no other.</summary>
    public static void WriteOne(string config, string feed) => new XDocument(new XElement("configuration", new XElement("packageSources", Add("the folder", feed)))).Save(config);

    private static IEnumerable<string> Lines(params string[] words)
        => Place.Run(PeerPrograms.Top, null, [PeerPrograms.Dotnet, "nuget", .. words]).Split('\n').Select(static line => line.Trim());

    private static XElement Add(string key, string value) => new("add", new XAttribute("key", key), new XAttribute("value", value));

    private static XElement From(string source, string pattern)
        => new("packageSource", new XAttribute("key", source), new XElement("package", new XAttribute("pattern", pattern)));
}
