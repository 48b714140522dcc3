using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Packages.Tests;

/// <summary>
/// samples/NativeAot published trimmed, and to machine code (which needs the package Microsoft.DotNet.ILCompiler of .NET 9), warnings being errors: client and server of
/// each form against each other and against the same program as it is built every day. The program judges itself.
/// </summary>
public class PublishedTests(PublishedPrograms programs) : IClassFixture<PublishedPrograms>
{
    [Theory]
    [InlineData("trimmed", "trimmed")]
    [InlineData("trimmed", "everyday")]
    [InlineData("everyday", "trimmed")]
    [InlineData("machine code", "machine code")]
    [InlineData("machine code", "everyday")]
    [InlineData("everyday", "machine code")]
    public void ServerAndClientOfEachFormAgree(string server, string client)
    {
        Place.SkipUnlessFull();
        string[] serving = [.. programs.Of(server), "serve", "rooms"];
        Assert.Equal("ok", Place.Beside(serving, PeerPrograms.Top, null, [.. programs.Of(client), "call", "rooms"]).Trim());
    }
}
