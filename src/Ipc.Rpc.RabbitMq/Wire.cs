using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

// A message is the protobuf of its contract, so that programs without this library can read and write it. What belongs
// to the call is in AMQP's properties and headers:
//   type            "ipc-rpc/1"
//   message-id      of the call, the same for all its attempts
//   correlation-id  of the attempt; an answer has the same
//   reply-to        amq.rabbitmq.reply-to; not there for a one-way call
//   expiration      what was left until the deadline, in milliseconds
//   headers         ipc-method "service/method", ipc-attempt, ipc-m-KEY (metadata), traceparent, tracestate;
//                   of an answer ipc-status, ipc-text, ipc-error-type, ipc-details, ipc-m-KEY
//
// A request asks for a stream with the headers ipc-credit and ipc-credit-bytes, how much may come first; it announces
// one of its own with ipc-sends 1. Either may be there alone, or both; ipc-lease, in milliseconds, is the client's. Its
// server answers it with
//   a first message   ipc-item 0; reply-to is a queue that the server's connection owns, message-id the stream's key;
//                     if the client sends, ipc-to is another such queue, for its items, and ipc-credit and
//                     ipc-credit-bytes are how much may come first
//   items             ipc-item 1, 2, ..., if it was asked for a stream
//   credit            ipc-credit and ipc-credit-bytes for more, without ipc-item, if the client sends
//   a last message    as an answer; of a stream that it was asked for with ipc-count, how many items there were, of
//                     another call with the response. It may come before the client has sent everything
// and hears in its first queue, from the client, messages whose message-id is that key, mandatory and with reply-to and
// correlation-id as the request: with ipc-credit and ipc-credit-bytes for more, without for a sign of life. To its
// second queue go, mandatory and with the same message-id and correlation-id,
//   items             ipc-item 1, 2, ...
//   the end           ipc-count: how many items there were
// An item counts for its bytes and 64 more; it may be sent while there is any credit in both, so the last one may
// exceed the bytes. A word for a key that the server does not know is answered by an answer that says Unavailable;
// items for such a key have crossed the last message, and are dropped. A cancellation is the same as of any call; who
// cannot send all of its stream cancels, and sends no end.
//
// Items go to a queue that is declared once for a connection: a queue for each stream would be four round trips for
// each, and a transaction of all nodes of the broker's cluster. They do not go where the words go, so that those do not
// wait behind them; and not by direct reply-to in the other direction, where the broker sends nothing back when the
// receiver has gone, and keeps nothing for one that is slow but in the memory of its connection. The queue goes with
// the connection, so no item outlives the server that it was sent to.

/// <summary>The words of messages, and what is in their headers.</summary>
internal static class Wire
{
    public const string Type = "ipc-rpc/1", ContentType = "application/x-protobuf";
    public const string DirectReply = "amq.rabbitmq.reply-to";
    public const string Method = "ipc-method", Attempt = "ipc-attempt";
    public const string Status = "ipc-status", Text = "ipc-text", ErrorType = "ipc-error-type", Details = "ipc-details";
    public const string Credit = "ipc-credit", CreditBytes = "ipc-credit-bytes", Lease = "ipc-lease";
    public const string Item = "ipc-item", Count = "ipc-count", Sends = "ipc-sends", To = "ipc-to";
    public const string Reason = "ipc-reason", DeadFrom = "ipc-dead-from";
    public const string TopicType = "ipc-topic/1", First = "ipc-first";
    public const string TraceParent = "traceparent", TraceState = "tracestate";
    private const string Metadata = "ipc-m-";
    public const int LongestMetadata = 16_000;
    private const int LongestText = 16_000, LongestDetails = 32_000;

    /// <summary>A message as it is: neither end of the broker looks at what passes through.</summary>
    public static readonly MessageCodec<byte[]> Bytes = new(
        "bytes",
        static (ref ProtoWriter writer, in byte[] value) => writer.WriteRaw(value),
        static (ref ProtoReader reader) => reader.ReadToEnd().ToArray());

    /// <exception cref="ProtoException">The message cannot be encoded.</exception>
    public static byte[] Encode<T>(MessageCodec<T> codec, in T message)
    {
        Scratch scratch = new();
        try
        {
            ProtoWriter writer = new(scratch.Span, scratch);
            codec.Write(ref writer, in message);
            return scratch.Span[..writer.Written].ToArray();
        }
        finally
        {
            scratch.Return();
        }
    }

    /// <exception cref="RpcCallException">It is longer than every way of Ipc takes.</exception>
    public static void AddMetadata(IDictionary<string, object?> headers, RpcMetadata? metadata)
    {
        if (metadata is null)
            return;
        int bytes = 0;
        foreach ((string key, ReadOnlyMemory<byte> value) in metadata)
        {
            if (key is RabbitMqMarks.Redelivered or RabbitMqMarks.MessageId)
                continue;
            bytes += key.Length + value.Length + 16;
            string name = Metadata + key;
            if (!headers.TryGetValue(name, out object? before))
                headers[name] = value.ToArray();
            else if (before is List<object?> several)
                several.Add(value.ToArray());
            else
                headers[name] = new List<object?> { before, value.ToArray() };
        }

        if (bytes > LongestMetadata)
            throw new RpcCallException(
                RpcStatus.InvalidArgument,
                "The metadata takes " + bytes + " bytes; a call carries at most " + LongestMetadata + ".");
    }

    /// <summary>What is of a peer: keys that are none are left out.</summary>
    public static RpcMetadata MetadataOf(IDictionary<string, object?>? headers)
    {
        RpcMetadata metadata = new();
        foreach ((string name, object? value) in headers ?? new Dictionary<string, object?>())
        {
            if (!name.StartsWith(Metadata, StringComparison.Ordinal))
                continue;
            string key = name[Metadata.Length..];
            if (!IsKey(key) || key is RabbitMqMarks.Redelivered or RabbitMqMarks.MessageId)
                continue;
            if (value is byte[] one)
                metadata.Add(key, one);
            foreach (object? each in value as List<object?> ?? [])
            {
                if (each is byte[] bytes)
                    metadata.Add(key, bytes);
            }
        }

        return metadata;
    }

    public static void AddTrace(IDictionary<string, object?> headers)
    {
        if (Activity.Current is not { IdFormat: ActivityIdFormat.W3C, Id: { } id } activity)
            return;
        headers[TraceParent] = id;
        if (activity.TraceStateString is { Length: > 0 } state)
            headers[TraceState] = state;
    }

    public static ActivityContext TraceOf(IDictionary<string, object?>? headers)
    {
        _ = ActivityContext.TryParse(
            TextOf(headers, TraceParent), TextOf(headers, TraceState), isRemote: true, out ActivityContext context);
        return context;
    }

    /// <summary>The answer that a call failed.</summary>
    public static void AddFailure(IDictionary<string, object?> headers, RpcCallException failure)
    {
        headers[Status] = (int)failure.Status;
        headers[Text] = Shortened(failure.Message);
        if (failure.RemoteType is { Length: > 0 } type)
            headers[ErrorType] = Shortened(type);
        List<object?> details = [];
        int bytes = 0;
        foreach (RpcDetail detail in failure.Details)
        {
            bytes += detail.TypeUrl.Length + detail.Bytes.Length;
            if (bytes > LongestDetails)
                break; // the last ones are left out first
            details.Add(Encoding.UTF8.GetBytes(detail.TypeUrl));
            details.Add(detail.Bytes.ToArray());
        }

        if (details.Count > 0)
            headers[Details] = details;
    }

    public static IReadOnlyList<RpcDetail> DetailsOf(IDictionary<string, object?>? headers)
    {
        List<RpcDetail> details = [];
        if (headers is null || !headers.TryGetValue(Details, out object? value) || value is not List<object?> parts)
            return details;
        for (int i = 0; i + 1 < parts.Count; i += 2)
        {
            if (parts[i] is byte[] type && parts[i + 1] is byte[] bytes)
                details.Add(new RpcDetail(Encoding.UTF8.GetString(type), bytes));
        }

        return details;
    }

    public static string? TextOf(IDictionary<string, object?>? headers, string name)
        => headers is not null && headers.TryGetValue(name, out object? value)
            ? value switch
            {
                byte[] bytes => Encoding.UTF8.GetString(bytes),
                string text => text,
                _ => null,
            }
            : null;

    public static long? NumberOf(IDictionary<string, object?>? headers, string name)
        => headers is not null && headers.TryGetValue(name, out object? value)
            ? value switch
            {
                byte number => number,
                sbyte number => number,
                short number => number,
                ushort number => number,
                int number => number,
                uint number => number,
                long number => number,
                _ => null,
            }
            : null;

    /// <summary>Whether a property or a header's name can be sent. One that came can not if its bytes were no UTF-8:
    /// each of them is three bytes then. The program that writes it would throw.</summary>
    public static bool Fits(string? text)
    {
        const int Longest = 255;
        return text is null || text.Length <= Longest / 3 || Encoding.UTF8.GetByteCount(text) <= Longest;
    }

    /// <summary>About how many bytes a value of a header takes, or all of them; not less than it does.</summary>
    public static long SizeOf(object? value, int depth = 0)
    {
        const int Other = 24; // the type, and the longest of those that have one length
        const int Deepest = 32; // a stranger's tables within tables: what is deeper is too large for anything
        if (depth > Deepest)
            return int.MaxValue;
        long size = Other;
        switch (value)
        {
            case string text:
                return size + Encoding.UTF8.GetByteCount(text);
            case byte[] bytes:
                return size + bytes.Length;
            case BinaryTableValue { Bytes: { } bytes }:
                return size + bytes.Length;
            case System.Collections.IDictionary table:
                foreach (System.Collections.DictionaryEntry entry in table)
                    size += entry.Key is string key && !Fits(key)
                        ? int.MaxValue
                        : SizeOf(entry.Key, depth + 1) + SizeOf(entry.Value, depth + 1);
                return size;
            case System.Collections.IEnumerable list:
                foreach (object? each in list)
                    size += SizeOf(each, depth + 1);
                return size;
            default:
                return size;
        }
    }

    /// <summary>What an expiration says; <see langword="null"/> for none, or for none that is a number.</summary>
    public static TimeSpan? TimeOf(string? expiration)
        => uint.TryParse(expiration, NumberStyles.None, CultureInfo.InvariantCulture, out uint milliseconds)
            ? TimeSpan.FromMilliseconds(milliseconds)
            : null;

    public static string Shortened(string text) =>
        text.Length <= LongestText ? text : string.Concat(text.AsSpan(0, LongestText), "...");

    public static bool IsKey(string key)
    {
        foreach (char c in key)
        {
            if (!char.IsAsciiLetterLower(c) && !char.IsAsciiDigit(c) && c is not ('-' or '_' or '.'))
                return false;
        }

        return key.Length > 0;
    }

    /// <summary>Where a message is encoded, whose length is known afterwards.</summary>
    private sealed class Scratch : IPayloadTarget
    {
        private byte[] _bytes = ArrayPool<byte>.Shared.Rent(256);

        public Span<byte> Span => _bytes;

        public Span<byte> Grow(int written, int needed)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(
                Array.MaxLength, Math.Max(2L * _bytes.Length, (long)written + needed)));
            _bytes.AsSpan(0, written).CopyTo(larger);
            Return();
            return _bytes = larger;
        }

        public void Return() => ArrayPool<byte>.Shared.Return(_bytes);
    }
}
