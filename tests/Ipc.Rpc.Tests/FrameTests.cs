using System;
using System.Linq;
using System.Text;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>The bytes of docs/rpc-protocol.md, typed a second time.</summary>
public sealed class FrameTests
{
    [Fact]
    public void AHeaderIsTwentyFourBytesInThisOrder()
    {
        var bytes = new byte[24];
        new FrameHeader(FrameKind.Request, 0x1122334455667788, 0x99aa, 0xbbccddee, 0x0102030405060708, 1).WriteTo(bytes);
        Assert.Equal("0101aa99eeddccbb88776655443322110807060504030201", Convert.ToHexStringLower(bytes));
        Assert.Null(FrameHeader.TryRead(1, bytes, fromClient: true, out FrameHeader header));
        Assert.Equal(FrameKind.Request, header.Kind);
        Assert.Equal(1, header.Flags);
        Assert.Equal(0x99aa, header.Code);
        Assert.Equal(0xbbccddee, header.Method);
        Assert.Equal(0x1122334455667788UL, header.Call);
        Assert.Equal(0x0102030405060708UL, header.Deadline);
    }

    [Theory]
    [InlineData(1, "Request")]
    [InlineData(2, "Response")]
    [InlineData(3, "Error")]
    [InlineData(4, "Item")]
    [InlineData(5, "End")]
    [InlineData(6, "Credit")]
    [InlineData(7, "Cancel")]
    [InlineData(8, "Ping")]
    [InlineData(9, "Pong")]
    public void KindsHaveTheirNumbers(int number, string name) => Assert.Equal(name, ((FrameKind)number).ToString());

    [Fact]
    public void StatusesHaveTheirNumbers()
    {
        string[] names =
        {
            "Ok", "Cancelled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists", "PermissionDenied", "ResourceExhausted",
            "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
        };
        Assert.Equal(names, Enum.GetValues<RpcStatus>().Select(static status => status.ToString()));
        Assert.Equal(Enumerable.Range(0, 17), Enum.GetValues<RpcStatus>().Select(static status => (int)status));
    }

    [Fact]
    public void AnErrorBodyIsAProtobufMessage()
    {
        byte[] bytes = new ErrorBody("T", "text").Encode(1000);
        Assert.Equal("0a015412047465787 4".Replace(" ", string.Empty, StringComparison.Ordinal), Convert.ToHexStringLower(bytes));
        ErrorBody decoded = ErrorBody.Decode(bytes);
        Assert.Equal("T", decoded.Type);
        Assert.Equal("text", decoded.Text);
        Assert.Empty(new ErrorBody(null, string.Empty).Encode(1000));
    }

    [Theory]
    [InlineData(16)]
    [InlineData(20)]
    [InlineData(40)]
    [InlineData(300)]
    public void AnErrorBodyIsCutBetweenCharactersToFit(int limit)
    {
        byte[] bytes = new ErrorBody(new string('T', 300), string.Concat(Enumerable.Repeat("é€", 500))).Encode(limit);
        Assert.InRange(bytes.Length, 0, limit);
        ErrorBody decoded = ErrorBody.Decode(bytes);
        Assert.DoesNotContain('\ufffd', decoded.Text);
        Assert.DoesNotContain("could not be decoded", decoded.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void AnErrorBodyThatIsNoneIsStillAnError()
    {
        Assert.Contains("could not be decoded", ErrorBody.Decode(new byte[] { 0x0a, 0x7f }).Text, StringComparison.Ordinal);
        Assert.Equal("ok", ErrorBody.Decode(new byte[] { 0x1a, 1, 0, 0x12, 2, (byte)'o', (byte)'k' }).Text);
    }

    [Fact]
    public void AMethodsIdIsFnvOfItsFullName()
    {
        uint hash = 2166136261;
        foreach (byte b in Encoding.UTF8.GetBytes("test.v1/Echo"))
            hash = unchecked((hash ^ b) * 16777619);
        Assert.Equal(hash, Peer.TestServiceRpc.Echo.Id);
    }
}
