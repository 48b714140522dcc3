namespace Ipc.Rpc;

/// <summary>How the messages of a call are written; docs/rpc-protocol.md section 4. Immutable.</summary>
internal sealed class CallFormat
{
    /// <summary>The generated codecs.</summary>
    public static readonly CallFormat Generated = new(null);

    private readonly IpcSerializer? _serializer;

    private CallFormat(IpcSerializer? serializer) => _serializer = serializer;

    /// <summary>What a request says of it in its flags: the format's bits.</summary>
    public byte Flags => _serializer is null ? (byte)0 : (byte)(_serializer.Format * FrameFlags.FormatUnit);

    /// <summary>What a request says of it in its head; <see langword="null"/>: nothing, the flags are enough.</summary>
    public string? HeadName => _serializer is { Format: IpcSerializer.NamedFormat } named ? named.Name : null;

    /// <summary>For messages to people.</summary>
    public string Name => _serializer?.Name ?? "protobuf";

    /// <summary>The format in a request's flags.</summary>
    public static int Number(byte flags) => (flags & FrameFlags.Format) / FrameFlags.FormatUnit;

    public static CallFormat Of(IpcSerializer? serializer) =>
        serializer is null ? Generated : new CallFormat(serializer);

    public MessageCodec<T> CodecFor<T>(MessageCodec<T> generated) =>
        _serializer is null ? generated : _serializer.CodecFor(generated);
}
