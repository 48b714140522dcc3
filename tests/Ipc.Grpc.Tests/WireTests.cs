using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Grpc.Tests;

/// <summary>What no client of gRPC sends, and anybody can.</summary>
public sealed class WireTests : GatewayTest
{
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task AMessageThatIsNoneIsRefusedByItsServer(Language language)
    {
        Peer(language);
        await StartAsync();
        byte[] none = [0, 0, 0, 0, 3, 255, 255, 255]; // in a frame of gRPC
        foreach (string method in new[] { "Echo", "Count", "Collect", "Mirror" })
            Assert.Equal("3", await PostAsync(method, none));
        Assert.Equal("3", await PostAsync("Collect", new byte[5], ("ipc-request-bin", "////")));
        Assert.Equal("0", await PostAsync("Note", none)); // its answer does not wait for the server's opinion
        Assert.Equal("others", Text(await Connect().EchoAsync(Blob("others"), cancellationToken: Hang)));
    }

    [Theory]
    [InlineData(new byte[] { 0, 0, 0, 0, 9, 255 })] // cut off
    [InlineData(new byte[] { 1, 0, 0, 0, 0 })] // compressed, nobody says how
    public async Task AFrameThatIsNoneIsRefused(byte[] frame)
    {
        Serve();
        await StartAsync();
        foreach (string method in new[] { "Echo", "Note", "Count", "Collect", "Mirror" })
            Assert.Equal("13", await PostAsync(method, frame));
        Assert.Equal("others", Text(await Connect().EchoAsync(Blob("others"), cancellationToken: Hang)));
    }

    /// <summary>gRPC passes over what is no deadline, and one so late that no clock shows it.</summary>
    [Theory]
    [InlineData("99999999H")]
    [InlineData("99999999S")]
    [InlineData("-1S")]
    [InlineData("soon")]
    public async Task ADeadlineThatNeverComesIsNone(string timeout)
    {
        Serve();
        await StartAsync();
        Assert.Equal("0", await PostAsync("Remaining", new byte[5], ("grpc-timeout", timeout)));
    }

    [Fact]
    public async Task HeadersOfAnyBytesPass()
    {
        Serve();
        await StartAsync();
        Assert.Equal("0", await PostAsync("Labels", new byte[5], ("name", "näh \u0001 \u007f 日本"), ("empty", ""), ("none-bin", ""), ("some-bin", ",AA,"), ("we~ird", "1"), ("UPPER", "1")));
    }
}
