using System;
using System.Collections.Generic;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>What a server sends while a call is pending, and what its client must do.</summary>
/// <param name="Name">What is wrong with it.</param>
/// <param name="Shape">Of the call: echo, count, collect, mirror or steps.</param>
/// <param name="Sent">Frames, in order, for the id of the call.</param>
/// <param name="Ended">How the call ends: the status.</param>
internal sealed record ClientRow(string Name, string Shape, Func<ulong, IReadOnlyList<byte[]>> Sent, RpcStatus Ended)
{
    public ushort RecordType { get; init; } = 1;

    /// <summary>How many items the caller gets; not looked at when negative.</summary>
    public int Items { get; init; } = -1;

    /// <summary>Whether the client closes the connection. Else it makes a call after it.</summary>
    public bool Closes { get; init; }

    /// <summary>What the client must send: kind and code. Requests, items, ends, credit and read frames are not looked at.</summary>
    public IReadOnlyList<(byte Kind, ushort Code)> Back { get; init; } = [];
}
