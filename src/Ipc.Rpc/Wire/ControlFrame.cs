namespace Ipc.Rpc;

/// <summary>A frame without a message.</summary>
internal readonly struct ControlFrame
{
    public ControlFrame(FrameHeader header, byte[]? body = null)
    {
        Header = header;
        Body = body;
    }

    public FrameHeader Header { get; }

    /// <summary>What a ping carried.</summary>
    public byte[]? Body { get; }
}
