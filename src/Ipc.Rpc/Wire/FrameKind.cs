namespace Ipc.Rpc;

/// <summary>What a frame is; numbers of docs/rpc-protocol.md section 1.</summary>
internal enum FrameKind : byte
{
    Request = 1,
    Response = 2,
    Error = 3,
    Item = 4,
    End = 5,
    Credit = 6,
    Cancel = 7,
    Ping = 8,
    Pong = 9,
    Progress = 10,
    Read = 11,
}
