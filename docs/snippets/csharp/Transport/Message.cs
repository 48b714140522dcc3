using System.Collections.Generic;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

// snippet: message
/// <summary>What travels for a request: between machines, the properties, headers and body of a message.</summary>
internal sealed record Message(string Id, string Service, string Method, RpcMethodKind Kind, byte[] Body)
{
    public RpcMetadata Metadata { get; init; } = new();
    public bool IsOneWay { get; init; } // nobody waits for the answer
    public string? TraceParent { get; init; }
    public string? TraceState { get; init; }
    public Deadline Until { get; init; } = Deadline.Never; // between machines: how much is left, for their clocks differ

    public bool IsRepeated { get; init; } // it may have been handled before
    public CancellationTokenSource Cancelled { get; } = new(); // between machines: a message with the id, to all servers

    // Where the answer goes, and the items of streams, of all its deliveries. What has no room waits at its sender: that is all that credit is.
    public TaskCompletionSource<Answer> Reply { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    public Channel<byte[]> ToServer { get; } = Channel.CreateBounded<byte[]>(16);
    public Channel<byte[]> ToClient { get; } = Channel.CreateBounded<byte[]>(16);
}

/// <summary>What travels back, once: of a stream when it has ended.</summary>
internal sealed record Answer(
    RpcStatus Status,
    byte[] Body,
    RpcMetadata? Metadata = null,
    string Text = "",
    string? RemoteType = null,
    IReadOnlyList<RpcDetail>? Details = null);
// end-snippet
