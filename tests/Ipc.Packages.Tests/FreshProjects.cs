using System;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Packages.Tests;

/// <summary>The projects of nuget/consumers/dotnet in a folder outside the repository, restored and built when somebody first asks for one.</summary>
public sealed class FreshProjects : IDisposable
{
    private readonly Packed _packed;
    private readonly Lazy<string> _built;

    public FreshProjects(Packed packed)
    {
        _packed = packed;
        _built = new(Build);
    }

    public string Work { get; } = Directory.CreateTempSubdirectory("ipc-consumers-").FullName;

    public string Config => Path.Combine(Work, "nuget.config");

    /// <summary>Where they are; their packages are in a folder of their own in it.</summary>
    public string Folder
    {
        get
        {
            _ = _built.Value;
            return Path.Combine(Work, "projects");
        }
    }

    /// <summary>What was built, or why it was not: a project that does not build is one test that fails.</summary>
    public string Program(string path)
    {
        string program = Path.Combine(Folder, path);
        return File.Exists(program) ? program : throw new FileNotFoundException($"{path} is not built:\n{_built.Value}");
    }

    public void Dispose() => Directory.Delete(Work, recursive: true);

    /// <summary>Returns what the build said.</summary>
    private string Build()
    {
        string projects = Path.Combine(Work, "projects"), properties = Path.Combine(projects, "Directory.Build.props");
        Command.Copy(Place.Of("nuget/consumers/dotnet"), projects);
        File.WriteAllText(properties, File.ReadAllText(properties).Replace(">VERSION<", $">{Packed.Version}<", StringComparison.Ordinal)
            .Replace(">OTHER_VERSION<", $">{Packed.OtherVersion}<", StringComparison.Ordinal));
        PackageSources.Write(Config, _packed.Feed);
        Place.Run(projects, null, PeerPrograms.Dotnet, "restore", "Consumers.slnx", "-v:quiet", "-tl:off");
        return Place.TryRun(projects, null, PeerPrograms.Dotnet, "build", "Consumers.slnx", "-c", "Release", "--no-restore", "-m:2", "-nodeReuse:false", "-v:minimal", "-tl:off").Said;
    }
}
