using System;
using System.IO;
using System.Linq;
using System.Xml.Linq;
using Ipc.Testing.Drive;

namespace Ipc.Packages.Tests;

/// <summary>All packages, made when somebody first asks for them: IPC_VERSION makes another version of them than the sources say.</summary>
public sealed class Packed : IDisposable
{
    private readonly Lazy<string> _feed;

    public Packed() => _feed = new(Pack);

    /// <summary>It stands once, in Directory.Build.props.</summary>
    public static string Version { get; } = Environment.GetEnvironmentVariable("IPC_VERSION") is { Length: > 0 } wanted
        ? wanted
        : XDocument.Load(Place.Of("Directory.Build.props")).Descendants("Version").Single().Value;

    /// <summary>What the two packages have that share a process with those of <see cref="Version"/>: for one framework, and not all of them.</summary>
    public static string OtherVersion { get; } = Next(System.Version.Parse(Version.Split('-')[0]));

    public string Work { get; } = Directory.CreateTempSubdirectory("ipc-packed-").FullName;

    /// <summary>A folder with the packages of both versions.</summary>
    public string Feed => _feed.Value;

    /// <summary>A package as it is in the feed.</summary>
    public Package Open(string name) => new(Path.Combine(Feed, $"{name}.{Version}"));

    /// <summary>The compiler of everything that is built here goes with it.</summary>
    public void Dispose()
    {
        Place.Run(PeerPrograms.Top, null, PeerPrograms.Dotnet, "build-server", "shutdown", "--vbcscompiler");
        Directory.Delete(Work, recursive: true);
    }

    private static string Next(Version version) => $"{version.Major}.{version.Minor}.{version.Build + 1}";

    private string Pack()
    {
        string feed = Path.Combine(Work, "feed");
        Place.Run(PeerPrograms.Top, null, Place.Of("nuget/pack.sh"), feed);
        string[] other = ["-c", "Release", $"-p:Version={OtherVersion}", "-p:LibraryFrameworks=net10.0", "-p:RunAnalyzers=false", "-p:EnablePackageValidation=false", $"-p:PackageOutputPath={feed}",
            "--artifacts-path", "build/nuget-other", "-m:2", "-nodeReuse:false", "-v:minimal", "-tl:off"];
        Place.Run(PeerPrograms.Top, null, [PeerPrograms.Dotnet, "pack", "src/Ipc.Rpc", .. other]);
        Place.Run(PeerPrograms.Top, null, [PeerPrograms.Dotnet, "pack", "src/Ipc.Core", "--no-build", .. other]); // which is a part of the first
        return feed;
    }
}
