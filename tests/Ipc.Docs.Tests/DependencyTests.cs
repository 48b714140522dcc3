using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Docs.Tests;

/// <summary>docs/dependencies.md lists every package that a user of ours gets, as the restore of each project found them. IPC_UPDATE_DEPENDENCIES=1 writes the lists anew.</summary>
public partial class DependencyTests
{
    private const string Page = "docs/dependencies.md";
    private const string Begin = "<!-- dependencies:begin -->\n";
    private const string End = "<!-- dependencies:end -->";

    private static readonly string[] s_packages = ["Ipc.Core", "Ipc.Rpc", "Ipc.Hosting", "Ipc.Native", "Ipc.Rpc.MessagePack", "Ipc.Rpc.ProtobufNet", "Ipc.Pipelines", "Ipc.Tcp", "Ipc.Rpc.RabbitMq", "Ipc.Hosting.RabbitMq", "Ipc.AspNetCore", "Ipc.Grpc", "Ipc.Tool"];

    /// <summary>Of the SDK or of our own build: no package of ours asks for them.</summary>
    private static readonly string[] s_ofTheBuild = ["Microsoft.NET.ILLink.Tasks", "Microsoft.CodeAnalysis.BannedApiAnalyzers", "NETStandard.Library", "Microsoft.NETCore.Platforms"];

    [Fact]
    public void EveryPackageThatAUserGetsIsListed()
    {
        string page = Repository.Read(Page);
        string[] parts = [page[..(page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length)], page[page.IndexOf(End, StringComparison.Ordinal)..]];
        string fresh = parts[0] + string.Concat(s_packages.Select(Section)) + parts[1];
        if (Environment.GetEnvironmentVariable("IPC_UPDATE_DEPENDENCIES") == "1")
            File.WriteAllText(Repository.PathOf(Page), fresh);
        Assert.Equal(fresh, Repository.Read(Page));
    }

    private static string Section(string package)
    {
        using JsonDocument assets = JsonDocument.Parse(Repository.Read($"src/{package}/obj/project.assets.json"));
        string[] folders = [.. assets.RootElement.GetProperty("packageFolders").EnumerateObject().Select(static folder => folder.Name)];
        var versions = new SortedDictionary<string, Dictionary<string, string>>(StringComparer.OrdinalIgnoreCase);
        string[] frameworks = [.. assets.RootElement.GetProperty("targets").EnumerateObject().Select(static target => Short(target.Name)).Order(StringComparer.Ordinal).OrderBy(static name => !name.StartsWith("netstandard", StringComparison.Ordinal)).ThenBy(static name => name.Length)];
        foreach (JsonProperty target in assets.RootElement.GetProperty("targets").EnumerateObject())
        {
            foreach (JsonProperty found in target.Value.EnumerateObject().Where(static one => one.Value.GetProperty("type").GetString() == "package"))
            {
                string[] name = found.Name.Split('/');
                if (s_ofTheBuild.Contains(name[0]))
                    continue;
                if (!versions.TryGetValue(name[0], out Dictionary<string, string>? by))
                    versions.Add(name[0], by = []);
                by.Add(Short(target.Name), name[1]);
            }
        }

        var text = new StringBuilder("## " + package + "\n\n");
        if (versions.Count == 0)
            return text.Append("Nothing.\n\n").ToString();
        text.Append("| package | ").AppendJoin(" | ", frameworks).Append(" | licence |\n|---|").AppendJoin("", frameworks.Select(static _ => "---|")).Append("---|\n");
        foreach ((string name, Dictionary<string, string> by) in versions)
            text.Append("| ").Append(name).Append(" | ").AppendJoin(" | ", frameworks.Select(framework => by.GetValueOrDefault(framework, ""))).Append(" | ").Append(Licence(folders, name, by.Values.First())).Append(" |\n");
        return text.Append('\n').ToString();
    }

    private static string Short(string target) => target.StartsWith(".NETStandard,Version=v", StringComparison.Ordinal) ? "netstandard" + target[22..] : target;

    private static string Licence(string[] folders, string name, string version)
    {
        string file = folders.Select(folder => Path.Combine(folder, name.ToLowerInvariant(), version, name.ToLowerInvariant() + ".nuspec")).First(File.Exists);
        string manifest = File.ReadAllText(file);
        Match expression = Expression().Match(manifest);
        if (expression.Success)
            return expression.Groups[1].Value;
        Assert.True(manifest.Contains("/dotnet/corefx/blob/master/LICENSE.TXT", StringComparison.Ordinal), $"{name} {version}: what licence?");
        return "MIT"; // what that address says
    }

    [GeneratedRegex("<license type=\"expression\">([^<]+)</license>")]
    private static partial Regex Expression();
}
