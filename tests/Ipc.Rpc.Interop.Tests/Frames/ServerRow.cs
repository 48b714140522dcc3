using System.Collections.Generic;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>What a client sends, and what its server must do.</summary>
/// <param name="Name">What is wrong with it.</param>
/// <param name="Sent">Frames, in order.</param>
/// <param name="Answers">Responses, errors and ends that come, in order: the call, and its status; 0 for a response or an end. Items and credit are not looked at.</param>
internal sealed record ServerRow(string Name, IReadOnlyList<byte[]> Sent, IReadOnlyList<(ulong Call, int Status)> Answers)
{
    public ushort RecordType { get; init; } = 1;

    /// <summary>Whether each frame is sent when the one before has been answered. Else they are sent at once.</summary>
    public bool OneByOne { get; init; }

    /// <summary>Whether the connection is closed, with a reason. Else a call after it is answered.</summary>
    public bool Closes { get; init; }
}
