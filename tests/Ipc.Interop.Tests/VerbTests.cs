using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>The verbs of the peers, with nobody holding their strings: the exit code is the verdict.</summary>
public sealed class VerbTests(Peers peers)
{
    [Theory]
    [MemberData(nameof(Matrix.PairsAndWaitModes), MemberType = typeof(Matrix))]
    public void WriterEchoAndReaderMeet(Language one, Language other, string wait)
    {
        string there = peers.NewName("verb"), back = peers.NewName("verb");
        string[] options = ["--capacity", "65536", "--wait", wait, "--timeout", "600000"];
        using Driven reader = Driven.StartVerb(one, peers.Directory, ["ring-read", back, "2000", .. options]);
        using Driven echo = Driven.StartVerb(other, peers.Directory, ["ring-echo", there, back, "2000", .. options]);
        using Driven writer = Driven.StartVerb(one, peers.Directory, ["ring-write", there, "2000", "random", "7", .. options]);
        Assert.Equal((0, 0, 0), (writer.WaitForExit(), echo.WaitForExit(), reader.WaitForExit()));
        Assert.Empty(peers.Directory.FilesOf(there));
        Assert.Empty(peers.Directory.FilesOf(back));
    }

    [Theory]
    [MemberData(nameof(Matrix.Pairs), MemberType = typeof(Matrix))]
    public void ClientsOfBothLanguagesUseOneServer(Language server, Language client)
    {
        string name = peers.NewName("verb");
        using Driven service = Driven.StartVerb(server, peers.Directory, "listen", name);
        Assert.Equal("ready", service.NextLine());
        using Driven first = Driven.StartVerb(client, peers.Directory, "connect", name, "500", "64");
        using Driven second = Driven.StartVerb(Matrix.Other(client), peers.Directory, "connect", name, "500", "3000");
        Assert.Equal((0, 0), (first.WaitForExit(), second.WaitForExit()));
        service.Kill();
    }

    [Theory]
    [MemberData(nameof(Matrix.Languages), MemberType = typeof(Matrix))]
    public void ATypedErrorIsExitCodeThreeAndABadCommandTwo(Language language)
    {
        using Driven nobody = Driven.StartVerb(language, peers.Directory, "connect", peers.NewName("verb"), "1", "64", "--timeout", "10");
        using Driven unknown = Driven.StartVerb(language, peers.Directory, "no-such-verb");
        Assert.Equal((3, 2), (nobody.WaitForExit(), unknown.WaitForExit()));
        Assert.Contains(nobody.RemainingLines(), line => line.StartsWith("error ", System.StringComparison.Ordinal));
    }
}
