using System;

namespace Ipc.Rpc;

/// <summary>A call that goes on from a server that has not handled it to the next one, perhaps several times: all of
/// that together takes no longer than connecting may.</summary>
internal sealed class FollowedCall
{
    private BackOff _pauses;

    /// <param name="until">When the last of the servers has to be there.</param>
    public FollowedCall(Deadline until) => Until = until;

    /// <summary>When the last of the servers has to be there.</summary>
    public Deadline Until { get; }

    /// <summary>The pause before the next one is looked for: a server may be there that takes everybody, and refuses
    /// everything.</summary>
    public TimeSpan NextPause() => _pauses.Next();
}
