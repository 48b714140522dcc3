using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Packages.Tests;

/// <summary>The C library as it is installed from the sources, and moved elsewhere: fresh projects find it there, by pkg-config and find_package.</summary>
public class InstalledTests(InstalledLibrary library) : IClassFixture<InstalledLibrary>
{
    [Fact]
    public void NothingThatIsInstalledKnowsWhereItWas()
    {
        string[] places = [library.Work, PeerPrograms.Top];
        foreach (string file in Directory.EnumerateFiles(library.Prefix, "*", SearchOption.AllDirectories).Where(static file => !IsBinary(file)))
            Assert.DoesNotContain(places, place => File.ReadAllText(file).Contains(place, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("c-pkgconfig")]
    [InlineData("cpp-pkgconfig")]
    [InlineData("cpp-cmake")]
    public void AFreshProjectFindsIt(string consumer)
    {
        using RegionDirectory regions = new();
        string project = Path.Combine(library.Work, consumer);
        Command.Copy(Place.Of($"nuget/consumers/{consumer}"), project);
        File.Copy(Place.Of("nuget/consumers/serve.sh"), Path.Combine(project, "serve.sh"));
        if (File.Exists(Path.Combine(project, "quotes.proto")))
            Assert.Equal(File.ReadAllText(Place.Of("samples/QuickStart/Contract/quotes.proto")), File.ReadAllText(Path.Combine(project, "quotes.proto")));
        string peer = consumer == "c-pkgconfig" ? Place.EchoServer("")[0] : Place.QuotesServer[0];
        // Nothing of this build's environment helps: only the prefix that is named.
        Place.Run(project, new Dictionary<string, string> { ["IPC_DIR"] = regions.Path }, "env", "-u", "PKG_CONFIG_PATH", "-u", "CMAKE_PREFIX_PATH", "-u", "LD_LIBRARY_PATH",
            Path.Combine(project, "run.sh"), library.Prefix, peer);
        Assert.Empty(Directory.GetFileSystemEntries(regions.Path));
    }

    private static bool IsBinary(string file) => File.ReadAllBytes(file).AsSpan().Contains((byte)0);
}
