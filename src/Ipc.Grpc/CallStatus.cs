using System;
using System.Collections.Generic;
using System.Text;
using Grpc.Core;
using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>Failures of calls over Ipc as failures of gRPC, and back. The numbers of the statuses are the
/// same.</summary>
/// <remarks>gRPC sends them as headers, and many of its clients take no more than 8 KiB of these; so texts and details
/// are bounded.</remarks>
internal static class CallStatus
{
    private const int LongestText = 2048, LongestDetails = 2048;
    private const string DetailsKey = "grpc-status-details-bin", TypeKey = "ipc-error-type";

    /// <summary>The exception that gRPC sends; details go to the trailers.</summary>
    public static RpcException Of(RpcCallException failure, Metadata trailers, bool sendsExceptions)
    {
        bool isThrown = failure.RemoteType is { Length: > 0 };
        if (isThrown && !sendsExceptions)
            return new RpcException(new Status((StatusCode)failure.Status, "The handler failed."));

        string text = Shortened(failure.Message);
        if (isThrown)
            CallMetadata.AddTo(trailers, new RpcMetadata { { TypeKey, Shortened(failure.RemoteType!) } });
        if (failure.Details.Count > 0)
            trailers.Add(DetailsKey, Details(failure.Status, text, failure.Details));
        return new RpcException(new Status((StatusCode)failure.Status, text));
    }

    /// <summary>The exception that an Ipc caller gets; its inner one is gRPC's.</summary>
    public static RpcCallException Of(RpcException failure) => new(
        (RpcStatus)failure.StatusCode,
        failure.Status.Detail,
        failure.Trailers.GetValueBytes(DetailsKey) is { } bytes ? Details(bytes) : [],
        failure);

    /// <summary>Those of a <c>google.rpc.Status</c>; none when it is no such message.</summary>
    private static List<RpcDetail> Details(byte[] status)
    {
        List<RpcDetail> details = [];
        try
        {
            ProtoReader reader = new(status);
            while (reader.TryReadTag(out uint tag))
            {
                if (tag == (3 << 3 | 2))
                    details.Add(Detail(reader.ReadBytesInPlace()));
                else
                    reader.SkipField(tag);
            }
        }
        catch (ProtoException)
        {
            return []; // the status itself is what matters
        }

        return details;
    }

    /// <summary>A <c>google.protobuf.Any</c>.</summary>
    private static RpcDetail Detail(ReadOnlySpan<byte> any)
    {
        (string type, byte[] value) = (string.Empty, Array.Empty<byte>());
        ProtoReader reader = new(any);
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == (1 << 3 | 2))
                type = reader.ReadString();
            else if (tag == (2 << 3 | 2))
                value = reader.ReadBytes();
            else
                reader.SkipField(tag);
        }

        return new RpcDetail(type, value);
    }

    /// <summary>A <c>google.rpc.Status</c>. Details beyond the bound are left out, the last ones first.</summary>
    private static byte[] Details(RpcStatus status, string text, IReadOnlyList<RpcDetail> details)
    {
        WireWriter message = new();
        message.Number(1, (int)status);
        message.Text(2, text);
        int bytes = 0;
        foreach (RpcDetail detail in details)
        {
            WireWriter any = new();
            any.Text(1, detail.TypeUrl);
            any.Bytes(2, detail.Bytes.Span);
            bytes += any.Written.Length;
            if (bytes > LongestDetails)
                break;
            message.Bytes(3, any.Written);
        }

        return message.Written.ToArray();
    }

    /// <summary>As much of it as the bound lets through, encoded as gRPC does: three characters for each byte that is
    /// not printable ASCII.</summary>
    private static string Shortened(string text)
    {
        int taken = 0, cost = 0;
        foreach (Rune rune in text.EnumerateRunes())
        {
            cost += rune.Value is >= ' ' and <= '~' and not '%' ? 1 : 3 * rune.Utf8SequenceLength;
            if (cost > LongestText)
                return string.Concat(text.AsSpan(0, taken), "...");
            taken += rune.Utf16SequenceLength;
        }

        return text;
    }
}
