using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Packages.Tests;

/// <summary>The forms of samples/NativeAot, each published when it is first asked for.</summary>
public sealed class PublishedPrograms
{
    private const string Project = "samples/NativeAot";

    private readonly HashSet<string> _published = [];

    public string[] Of(string form) => form switch
    {
        "machine code" => [Published("net9.0")],
        "trimmed" => [Published("net10.0")],
        _ => Everyday(),
    };

    /// <summary>Built on the way to the trimmed one.</summary>
    private string[] Everyday()
    {
        Published("net10.0");
        return [PeerPrograms.Dotnet, Path.Combine(Folder("net10.0"), "NativeAot.dll")];
    }

    private static string Folder(string framework) => Place.Of($"{Project}/bin/Release/{framework}/{Place.Runtime}");

    private string Published(string framework)
    {
        string folder = Path.Combine(Folder(framework), "publish");
        if (_published.Add(framework))
        {
            if (Directory.Exists(folder))
                Directory.Delete(folder, recursive: true);
            Place.Run(PeerPrograms.Top, null, PeerPrograms.Dotnet, "publish", Project, "-f", framework, "-r", Place.Runtime, "-c", "Release", "-nodeReuse:false", "-tl:off", "-v:quiet");
        }

        return Path.Combine(folder, "NativeAot");
    }
}
