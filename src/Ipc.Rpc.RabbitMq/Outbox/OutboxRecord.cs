using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A one-way call that waits for the broker.</summary>
/// <param name="Id">Its message id.</param>
/// <param name="Service">Whose method it calls.</param>
/// <param name="Method">Which.</param>
/// <param name="Body">The request.</param>
/// <param name="Metadata">What goes with it.</param>
/// <param name="TraceParent">Of the span that it was called in; empty if there was none.</param>
/// <param name="TraceState">The same.</param>
internal sealed record OutboxRecord(
    string Id,
    string Service,
    string Method,
    byte[] Body,
    RpcMetadata Metadata,
    string TraceParent,
    string TraceState)
{
    private const uint IdTag = (1 << 3) | 2, ServiceTag = (2 << 3) | 2, MethodTag = (3 << 3) | 2;
    private const uint BodyTag = (4 << 3) | 2, EntryTag = (5 << 3) | 2;
    private const uint ParentTag = (6 << 3) | 2, StateTag = (7 << 3) | 2;
    private const int LongestId = 64, LongestName = 1000, LongestKey = 240, LongestTrace = 1000;
    private const uint KeyTag = (1 << 3) | 2, ValueTag = (2 << 3) | 2;

    public static readonly MessageCodec<OutboxRecord> Codec = new(
        "OutboxRecord",
        static (ref ProtoWriter writer, in OutboxRecord record) =>
        {
            writer.WriteString(IdTag, record.Id);
            writer.WriteString(ServiceTag, record.Service);
            writer.WriteString(MethodTag, record.Method);
            writer.WriteBytes(BodyTag, record.Body);
            foreach ((string key, System.ReadOnlyMemory<byte> value) in record.Metadata)
            {
                int start = writer.StartMessage(EntryTag);
                writer.WriteString(KeyTag, key);
                writer.WriteBytes(ValueTag, value.Span);
                writer.EndMessage(start);
            }

            writer.WriteString(ParentTag, record.TraceParent);
            writer.WriteString(StateTag, record.TraceState);
        },
        static (ref ProtoReader reader) => Read(ref reader));

    /// <summary>As it goes to the broker.</summary>
    public Outgoing ToOutgoing()
    {
        RpcMethod<byte[], RpcEmpty> method = new(
            Service, Method, RpcMethodKind.Unary, Wire.Bytes, RpcEmpty.Codec, isOneWay: true);
        Dictionary<string, object?> headers = new() { [Wire.Method] = method.FullName };
        Wire.AddMetadata(headers, Metadata);
        if (TraceParent.Length > 0)
            headers[Wire.TraceParent] = TraceParent;
        if (TraceState.Length > 0)
            headers[Wire.TraceState] = TraceState;
        return new Outgoing(method, Id, headers, Body);
    }

    /// <exception cref="ProtoException">It is none.</exception>
    public static OutboxRecord Decode(System.ReadOnlySpan<byte> bytes)
    {
        ProtoReader reader = new(bytes.ToArray()); // of shared memory: read once
        OutboxRecord record = Codec.Read(ref reader);
        return record.Wrong is not { } wrong
            ? record
            : throw new ProtoException(ProtoError.InvalidValue, reader.Position, wrong);
    }

    /// <summary>Why it can never be sent; <see langword="null"/> if it can, as far as can be seen here.</summary>
    public string? Wrong
    {
        get
        {
            if (Id.Length is 0 or > LongestId || Service.Length == 0 || Method.Length == 0 ||
                Service.Length + Method.Length > LongestName)
                return "It names no call, or a name is too long";
            if (TraceParent.Length > LongestTrace || TraceState.Length > LongestTrace)
                return "Its trace context is too long";
            int bytes = 0;
            foreach ((string key, System.ReadOnlyMemory<byte> value) in Metadata)
            {
                if (key.Length > LongestKey)
                    return "A key of its metadata has more than " + LongestKey + " characters";
                bytes += key.Length + value.Length + 16;
            }

            return bytes > Wire.LongestMetadata ? "Its metadata take " + bytes + " bytes" : null;
        }
    }

    private static OutboxRecord Read(ref ProtoReader reader)
    {
        string id = string.Empty, service = string.Empty, method = string.Empty;
        string parent = string.Empty, state = string.Empty;
        byte[] body = [];
        RpcMetadata metadata = new();
        while (reader.TryReadTag(out uint tag))
        {
            switch (tag)
            {
                case IdTag:
                    id = reader.ReadString();
                    break;
                case ServiceTag:
                    service = reader.ReadString();
                    break;
                case MethodTag:
                    method = reader.ReadString();
                    break;
                case BodyTag:
                    body = reader.ReadBytes();
                    break;
                case EntryTag:
                    ReadEntry(ref reader, metadata);
                    break;
                case ParentTag:
                    parent = reader.ReadString();
                    break;
                case StateTag:
                    state = reader.ReadString();
                    break;
                default:
                    reader.SkipField(tag);
                    break;
            }
        }

        return new OutboxRecord(id, service, method, body, metadata, parent, state);
    }

    private static void ReadEntry(ref ProtoReader reader, RpcMetadata metadata)
    {
        string key = string.Empty;
        byte[] value = [];
        int outer = reader.StartMessage();
        while (reader.TryReadTag(out uint tag))
        {
            if (tag == KeyTag)
                key = reader.ReadString();
            else if (tag == ValueTag)
                value = reader.ReadBytes();
            else
                reader.SkipField(tag);
        }

        reader.EndMessage(outer);
        if (Wire.IsKey(key))
            metadata.Add(key, value);
    }
}
