using System;
using System.Buffers.Text;
using System.Collections.Generic;
using System.Text;
using Grpc.Core;
using Ipc.Rpc;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ipc.Grpc;

/// <summary>Headers and trailers of gRPC as metadata of Ipc, and back.</summary>
/// <remarks>Both are keys and values. A value of gRPC is printable ASCII, or any bytes (as base64) when its key ends in
/// <c>-bin</c>; one of Ipc is bytes.</remarks>
internal static class CallMetadata
{
    private const string Binary = "-bin", Reserved = "grpc-";

    /// <summary>What belongs to HTTP or to gRPC's framing, and says nothing to a service.</summary>
    private static readonly HashSet<string> _transport = new(StringComparer.Ordinal)
    {
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "date", "host",
        "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    };

    /// <summary>The headers of a request, in their order, without what is <paramref name="except"/>.</summary>
    /// <exception cref="RpcException">InvalidArgument: a binary header is not base64.</exception>
    public static RpcMetadata OfRequest(IHeaderDictionary headers, string except)
    {
        RpcMetadata metadata = new();
        foreach (KeyValuePair<string, StringValues> header in headers)
        {
            string key = header.Key.ToLowerInvariant();
            if (key == except || !Travels(key))
                continue;
            foreach (string? value in header.Value)
            {
                if (value is null)
                    continue;
                if (key.EndsWith(Binary, StringComparison.Ordinal))
                    AddBinary(metadata, key, value);
                else
                    metadata.Add(key, value);
            }
        }

        return metadata;
    }

    /// <summary>The bytes of a binary header; <see langword="null"/> when the request has none of that name.</summary>
    /// <exception cref="RpcException">InvalidArgument: it is not base64, or there are several.</exception>
    public static byte[]? Find(IHeaderDictionary headers, string key)
    {
        if (!headers.TryGetValue(key, out StringValues values) || values.Count == 0)
            return null;
        if (values.Count > 1)
            throw Invalid("The header " + key + " came " + values.Count + " times, and may come once.");
        return Decode(key, values[0]!);
    }

    /// <summary>The metadata of an answer, as trailers, or of a request, as headers. Keys that HTTP does not take are
    /// left out, and so are empty values, by ASP.NET Core; a value that is not printable ASCII gets a key with
    /// <c>-bin</c>.</summary>
    public static void AddTo(Metadata to, RpcMetadata metadata)
    {
        foreach (KeyValuePair<string, ReadOnlyMemory<byte>> entry in metadata)
        {
            if (!Travels(entry.Key))
                continue;
            if (entry.Key.EndsWith(Binary, StringComparison.Ordinal))
                to.Add(entry.Key, entry.Value.ToArray());
            else if (IsText(entry.Value.Span))
                to.Add(entry.Key, Encoding.ASCII.GetString(entry.Value.Span));
            else
                to.Add(entry.Key + Binary, entry.Value.ToArray());
        }
    }

    /// <summary>The trailers of an answer.</summary>
    public static RpcMetadata OfAnswer(Metadata trailers)
    {
        RpcMetadata metadata = new();
        foreach (Metadata.Entry entry in trailers)
        {
            // an answer without messages has its headers there, too
            if (!Travels(entry.Key) || entry.Key == "server")
                continue;
            if (entry.IsBinary)
                metadata.Add(entry.Key, entry.ValueBytes);
            else
                metadata.Add(entry.Key, entry.Value);
        }

        return metadata;
    }

    private static void AddBinary(RpcMetadata metadata, string key, string values)
    {
        foreach (string value in values.Split(',', StringSplitOptions.TrimEntries)) // gRPC may join several
            metadata.Add(key, Decode(key, value));
    }

    private static byte[] Decode(string key, string value)
    {
        string padded = value.PadRight((value.Length + 3) / 4 * 4, '='); // gRPC's senders leave that out
        if (!Base64.IsValid(padded))
            throw Invalid("The header " + key + " is not base64, as that of a key with -bin has to be.");
        return Convert.FromBase64String(padded);
    }

    private static RpcException Invalid(string why) => new(new Status(StatusCode.InvalidArgument, why));

    private static bool Travels(string key)
    {
        foreach (char c in key)
        {
            if (c is not ((>= 'a' and <= 'z') or (>= '0' and <= '9') or '-' or '_' or '.'))
                return false;
        }

        return key.Length > 0 && !key.StartsWith(Reserved, StringComparison.Ordinal) && !_transport.Contains(key);
    }

    /// <summary>Whether HTTP brings it over unchanged.</summary>
    private static bool IsText(ReadOnlySpan<byte> value) =>
        !value.ContainsAnyExceptInRange((byte)' ', (byte)'~')
        && (value.IsEmpty || (value[0] != ' ' && value[^1] != ' '));
}
