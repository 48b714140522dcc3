using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What reads a peer's bytes (headers, heads, error bodies, messages), over mutations of right ones: it takes them or says what is wrong, and throws
/// nothing else. IPC_FUZZ_SEED=n repeats one seed alone, IPC_TEST_LONG=1 tries many more. Messages of every type: Ipc.Rpc.Codec.Tests.</summary>
public sealed class MutationTests
{
    private static readonly byte[][] _heads =
    {
        new CallHead { Trace = new byte[25], TraceState = "vendor=1", Format = "other" }.Encode(),
        new CallHead { Metadata = new RpcMetadata { { "key", "value" }, { "key-bin", new byte[] { 0, 255 } } } }.Encode(),
        new CallHead { Trace = new byte[25], Metadata = new RpcMetadata { { "a", "ä" } } }.Encode().Concat(new byte[] { 8, 1 }).ToArray(),
    };

    private static readonly byte[][] _errors =
    {
        new ErrorBody("System.InvalidOperationException", "what went wrong: ä").Encode(1000),
        new ErrorBody("T", "t", new[] { new RpcDetail("type.googleapis.com/x.Y", new byte[] { 8, 1 }), new RpcDetail("u", new byte[30]) }).Encode(1000),
    };

    [Fact]
    public void AHeadIsTakenWholeOrNotAtAll() => Try(_heads, static bytes =>
    {
        ReadOnlySpan<byte> body = bytes;
        string? wrong = CallHead.TryTake(new FrameHeader(FrameKind.Request, 1, flags: FrameFlags.Head), ref body, out CallHead? head);
        if (wrong is not null)
        {
            Assert.NotEmpty(wrong);
            Assert.Equal(bytes.Length, body.Length);
            return;
        }

        Assert.InRange(bytes.Length - body.Length, 4, 4 + CallHead.MaxLength);
        Assert.True(head!.Trace.Length is 0 or CallHead.TraceLength);
        Assert.DoesNotContain(head.Metadata ?? new RpcMetadata(), static entry => entry.Key.Length == 0 || entry.Key.Any(char.IsUpper));
    });

    [Fact]
    public void AnErrorIsAlwaysOne() => Try(_errors, static bytes =>
    {
        ErrorBody error = ErrorBody.Decode(bytes);
        Assert.NotNull(error.Text);
        Assert.All(error.Details, static detail => Assert.NotNull(detail.TypeUrl));
    });

    [Fact]
    public void AHeaderIsRefusedOrKeepsTheRules() => Try(Headers(), static bytes =>
    {
        foreach (bool fromClient in new[] { true, false })
        {
            if (FrameHeader.TryRead(1, bytes, fromClient, out FrameHeader header) is { } wrong)
            {
                Assert.NotEmpty(wrong);
                continue;
            }

            Assert.InRange((int)header.Kind, 1, 10);
            Assert.True(header.Call != 0 || header.Kind is FrameKind.Ping or FrameKind.Pong);
            Assert.True(header.Kind is FrameKind.Item or FrameKind.End or FrameKind.Credit or FrameKind.Ping or FrameKind.Pong
                || (header.Kind is FrameKind.Request or FrameKind.Cancel) == (fromClient != header.IsCallback));
            Assert.NotEqual(3, header.Format);
        }
    });

    [Fact]
    public void AMessageIsReadOrRefused()
    {
        MessageCodec<Message> codec = TestServiceRpc.Echo.Request;
        var text = new byte[] { 8, 42, 0x11, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0x1A, 3, (byte)'a', 0xC3, 0xA4 };
        Assert.Equal("aä", codec.Decode(text).Text);
        Try(new[] { text }, bytes =>
        {
            try
            {
                codec.Decode(bytes);
            }
            catch (ProtoException e)
            {
                Assert.InRange(e.Offset, 0, bytes.Length);
            }
        });
    }

    private static IEnumerable<byte[]> Headers()
    {
        for (byte kind = 1; kind <= 10; kind++)
        {
            var bytes = new byte[24 + kind];
            new FrameHeader((FrameKind)kind, 7, 3, 5, 9).WriteTo(bytes);
            yield return bytes;
        }
    }

    private static void Try(IEnumerable<byte[]> right, Action<byte[]> check)
    {
        string? one = Environment.GetEnvironmentVariable("IPC_FUZZ_SEED");
        int count = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1" ? 3_000_000 : 30_000;
        List<byte[]> seeds = right.ToList();
        seeds.ForEach(check);
        foreach (int seed in string.IsNullOrEmpty(one) ? Enumerable.Range(1, count) : new[] { int.Parse(one, CultureInfo.InvariantCulture) })
        {
            byte[] bytes = new Mutator((ulong)seed, seeds).Next();
            try
            {
                check(bytes);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"seed {seed}, {Convert.ToHexString(bytes)}: {e.Message}", e);
            }
        }
    }
}
