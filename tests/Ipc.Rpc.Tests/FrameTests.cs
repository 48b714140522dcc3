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
    [InlineData(10, "Progress")]
    [InlineData(11, "Read")]
    public void KindsHaveTheirNumbers(int number, string name) => Assert.Equal(name, ((FrameKind)number).ToString());

    // Kind, flags, method; and who may write it: c client, s server, b both, - nobody.
    [Theory]
    [InlineData(1, 0x00, 0, 'c')]
    [InlineData(1, 0x1f, 0, 's')]
    [InlineData(1, 0x2d, 0, 'c')]
    [InlineData(1, 0x02, 0, 's')]
    [InlineData(1, 0x30, 0, '-')] // format 3
    [InlineData(1, 0x40, 0, '-')]
    [InlineData(1, 0x80, 0, '-')]
    [InlineData(2, 0x00, 0, 's')]
    [InlineData(2, 0x06, 0, 'c')]
    [InlineData(2, 0x01, 0, '-')]
    [InlineData(3, 0x04, 0, 's')]
    [InlineData(3, 0x02, 0, 'c')]
    [InlineData(4, 0x00, 0, 'b')]
    [InlineData(4, 0x02, 0, 'b')]
    [InlineData(4, 0x04, 0, '-')]
    [InlineData(5, 0x00, 0, 'b')]
    [InlineData(5, 0x04, 0, 's')] // a head only from the callee
    [InlineData(5, 0x06, 0, 'c')]
    [InlineData(6, 0x00, 1, 'b')]
    [InlineData(6, 0x00, 0, '-')] // a credit of nothing
    [InlineData(7, 0x00, 0, 'c')]
    [InlineData(7, 0x02, 0, 's')]
    [InlineData(8, 0x00, 0, 'b')]
    [InlineData(8, 0x02, 0, '-')]
    [InlineData(9, 0x01, 0, '-')]
    [InlineData(10, 0x00, 0, 's')]
    [InlineData(10, 0x02, 0, 'c')]
    [InlineData(11, 0x00, 64, '-')] // of a call
    [InlineData(12, 0x00, 0, '-')]
    [InlineData(0, 0x00, 0, '-')]
    public void AFrameIsRefusedFromTheWrongSideAndWithReservedFlags(byte kind, byte flags, uint method, char who)
    {
        var bytes = new byte[24];
        new FrameHeader((FrameKind)kind, 1, 0, method, 0, flags).WriteTo(bytes);
        Assert.Equal(who is 'c' or 'b', FrameHeader.TryRead(1, bytes, fromClient: true, out _) is null);
        Assert.Equal(who is 's' or 'b', FrameHeader.TryRead(1, bytes, fromClient: false, out _) is null);
    }

    [Theory]
    [InlineData(0x00, 0, RpcMethodKind.Unary)]
    [InlineData(0x00, 1, RpcMethodKind.ServerStream)]
    [InlineData(0x08, 0, RpcMethodKind.ClientStream)]
    [InlineData(0x08, 9, RpcMethodKind.Duplex)]
    public void ARequestSaysWhichKindOfCallItMeans(byte flags, ushort credit, RpcMethodKind kind)
        => Assert.Equal(kind, new FrameHeader(FrameKind.Request, 1, credit, 0, 0, flags).CallKind);

    [Fact]
    public void AHeadIsALengthAndAProtobufMessage()
    {
        var head = new CallHead { Trace = Enumerable.Range(0, 25).Select(static i => (byte)i).ToArray(), TraceState = "s", Format = "f", Metadata = new RpcMetadata { { "k", "v" }, { "k", "" } } };
        byte[] bytes = head.Encode();
        Assert.Equal(
            "2e000000" + "0a19000102030405060708090a0b0c0d0e0f101112131415161718" + "120173" + "1a060a016b120176" + "1a030a016b" + "220166",
            Convert.ToHexStringLower(bytes));

        ReadOnlySpan<byte> body = bytes.Append((byte)7).ToArray();
        Assert.Null(CallHead.TryTake(new FrameHeader(FrameKind.Request, 1, flags: FrameFlags.Head), ref body, out CallHead? read));
        Assert.Equal(new byte[] { 7 }, body.ToArray());
        Assert.Equal(head.Trace.ToArray(), read!.Trace.ToArray());
        Assert.Equal("s", read.TraceState);
        Assert.Equal("f", read.Format);
        Assert.Equal(new[] { "k=76", "k=" }, read.Metadata!.Select(static entry => entry.Key + "=" + Convert.ToHexStringLower(entry.Value.Span)));
        Assert.Equal("v", read.Metadata!.GetText("k"));
        Assert.Null(read.Metadata.GetText("other"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("000000")]
    [InlineData("01000000")] // longer than the frame
    [InlineData("01400000")] // longer than a head
    [InlineData("ffffffff")]
    [InlineData("010000000a")] // cut inside a field
    [InlineData("020000000a00ff", true)] // no trace at all, and a message behind it
    [InlineData("030000000a0100")] // a trace context of one byte
    [InlineData("040000001201ff00")] // a trace state that is no text
    public void AHeadThatIsNoneIsDescribed(string hex, bool right = false)
    {
        byte[] bytes = Convert.FromHexString(hex);
        ReadOnlySpan<byte> body = bytes;
        Assert.Equal(right, CallHead.TryTake(new FrameHeader(FrameKind.Request, 1, flags: FrameFlags.Head), ref body, out _) is null);
        Assert.Equal(right ? 1 : bytes.Length, body.Length);
    }

    [Fact]
    public void AHeadThatIsTooLongIsRefusedBeforeItIsSent()
    {
        var head = new CallHead { Metadata = new RpcMetadata { { "k", new byte[CallHead.MaxLength] } } };
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => head.Encode()).Status);
        Assert.Throws<ArgumentException>(() => new RpcMetadata { { "Upper", "v" } });
        Assert.Throws<ArgumentException>(() => new RpcMetadata { { "", "v" } });
    }

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

    [Fact]
    public void DetailsAreMessagesOfTypeAnyAndThoseThatDoNotFitAreLeftOut()
    {
        var small = new RpcDetail("type.googleapis.com/x.Y", new byte[] { 8, 1 });
        var large = new RpcDetail("type.googleapis.com/x.Z", new byte[500]);
        byte[] bytes = new ErrorBody(null, "t", new[] { small, large }).Encode(400);
        Assert.Equal("120174" + "1a1d" + "0a17" + Convert.ToHexStringLower(Encoding.ASCII.GetBytes(small.TypeUrl)) + "12020801", Convert.ToHexStringLower(bytes));
        RpcDetail only = Assert.Single(ErrorBody.Decode(bytes).Details);
        Assert.Equal("x.Y", only.TypeName);
        Assert.Equal(new byte[] { 8, 1 }, only.Bytes.ToArray());
        Assert.Equal(2, ErrorBody.Decode(new ErrorBody(null, "t", new[] { small, large }).Encode(1000)).Details.Count);
    }

    [Fact]
    public void ADetailIsReadByTheCodecOfItsTypeOnly()
    {
        RpcDetail detail = RpcDetail.Of(RpcEmpty.Codec, default);
        Assert.Equal("type.googleapis.com/Empty", detail.TypeUrl);
        Assert.True(detail.TryRead(RpcEmpty.Codec, out _));
        Assert.False(new RpcDetail("type.googleapis.com/Other", default).TryRead(RpcEmpty.Codec, out _));
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
        Assert.Equal("ok", ErrorBody.Decode(new byte[] { 0x2a, 1, 0, 0x12, 2, (byte)'o', (byte)'k' }).Text);
    }

    [Fact]
    public void AMethodsIdIsFnvOfItsFullName()
    {
        uint hash = 2166136261;
        foreach (byte b in Encoding.UTF8.GetBytes("test.v1/Echo"))
            hash = unchecked((hash ^ b) * 16777619);
        Assert.Equal(hash, global::Ipc.Rpc.Peer.TestServiceRpc.Echo.Id);
    }
}
