using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Packages.Tests;

/// <summary>The templates of nuget/templates, installed out of their package, and what they generate: outside the repository, built when somebody first asks for it.</summary>
public sealed class Templates : IDisposable
{
    private readonly Packed _packed;
    private readonly Lazy<string> _hive;
    private readonly Lazy<(int? Code, string Said)> _built;

    public Templates(Packed packed)
    {
        _packed = packed;
        _hive = new(Install);
        _built = new(Build);
    }

    /// <summary>Everything is below it: the templates, what they generate, the packages of that.</summary>
    public string Work { get; } = Directory.CreateTempSubdirectory("ipc-templates-").FullName;

    public string Folder(string name) => Path.Combine(Work, name);

    /// <summary>`dotnet new`: its exit code, and what it said.</summary>
    public (int? Code, string Said) New(params IReadOnlyList<string> words)
        => Place.TryRun(Work, Settings, [PeerPrograms.Dotnet, "new", .. words, "--debug:custom-hive", _hive.Value]);

    /// <summary>The exit code of the build, which a warning is enough for, and what it said.</summary>
    public (int? Code, string Said) Built => _built.Value;

    /// <summary>The assembly of a project that was generated, or why it was not built.</summary>
    public string Program(string name, string project, string framework = "net10.0")
    {
        string built = Built.Said, program = Path.Combine(Folder(name), project, "bin", "Debug", framework, $"{name}{(project == "AddIn" ? "" : $".{project}")}.dll");
        return File.Exists(program) ? program : throw new FileNotFoundException($"{program} is not built:\n{built}");
    }

    public void Dispose() => Directory.Delete(Work, recursive: true);

    /// <summary>Nothing of it is the user's: `dotnet` and NuGet take this folder for the user's home.</summary>
    private Dictionary<string, string> Settings => new()
    {
        ["DOTNET_CLI_HOME"] = Folder("home"),
        ["DOTNET_NOLOGO"] = "1",
        ["DOTNET_GENERATE_ASPNET_CERTIFICATE"] = "false",
        ["DOTNET_ADD_GLOBAL_TOOLS_TO_PATH"] = "false",
    };

    private string Install()
    {
        string hive = Folder("hive"), sources = Folder("home/.nuget/NuGet/NuGet.Config");
        Directory.CreateDirectory(Path.GetDirectoryName(sources)!);
        PackageSources.WriteOne(sources, _packed.Feed);
        PackageSources.Write(Folder("nuget.config"), _packed.Feed);
        Place.Run(Work, Settings, PeerPrograms.Dotnet, "new", "install", "Ipc.Templates", "--debug:custom-hive", hive);
        return hive;
    }

    /// <summary>As a solution or, in the second form of a template, what differs from the first.</summary>
    private (int? Code, string Said) Build()
    {
        string[] wanted =
        [
            Solution(Generate("ipc-service", "2 Fast.Orders-v1")), // no identifier, and no name of a region
            Solution(Generate("ipc-worker", "Job")),
            Solution(Generate("ipc-addin", "My Sheet")),
            Only("Server", Generate("ipc-service", "Greeter", "--framework", "net8.0", "--service-name", "hello")), // the same as a type in it
            Only("Client", Folder("Greeter")),
            Only("AddIn", Generate("ipc-addin", "Sheet.10", "--framework", "net10.0-windows")),
        ];
        XElement Each(string target) => new("Target", new XAttribute("Name", target), new XElement("MSBuild", new XAttribute("Projects", string.Join(';', wanted)), new XAttribute("Targets", target),
            new XAttribute("BuildInParallel", true), new XAttribute("ContinueOnError", true)));
        new XElement("Project", new XAttribute("DefaultTargets", "Build"), Each("Restore"), Each("Build")).Save(Folder("all.proj"));
        return Place.TryRun(Work, null, PeerPrograms.Dotnet, "build", "all.proj", $"-p:RestorePackagesPath={Folder("packages")}", "-p:NuGetAudit=false", "-warnaserror", "-m:2", "-nodeReuse:false", "-v:minimal", "-tl:off");
    }

    /// <summary>Returns its folder.</summary>
    private string Generate(string template, string name, params string[] options)
    {
        (int? code, string said) = New([template, "-n", name, .. options]);
        return code == 0 ? Folder(name) : throw new InvalidOperationException($"dotnet new {template} -n \"{name}\": {code}\n{said}");
    }

    private static string Only(string project, string folder) => Directory.GetFiles(Path.Combine(folder, project), "*.csproj").Single();

    private static string Solution(string folder) => Directory.GetFiles(folder, "*.sln").Single();
}
