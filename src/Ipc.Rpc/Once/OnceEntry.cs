using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>A call that is executed once, from its first request until it is forgotten. Guarded by its
/// <see cref="OnceMemory"/>.</summary>
internal sealed class OnceEntry
{
    /// <summary>About what one costs besides its outcome, in bytes.</summary>
    public const int Overhead = 200;

    public OnceEntry(OnceKey key, byte[] call)
    {
        Key = key;
        Call = call;
    }

    /// <summary>What has become of it.</summary>
    public enum Stage
    {
        /// <summary>Its handler has not begun.</summary>
        Waiting,

        /// <summary>Its handler runs.</summary>
        Running,

        /// <summary>It has an outcome.</summary>
        Ended,

        /// <summary>Its handler will not run for this request.</summary>
        Abandoned,
    }

    public OnceKey Key { get; }

    /// <summary>The key with the hash of the request.</summary>
    public byte[] Call { get; }

    public Stage Now { get; set; }

    public OnceOutcome? Outcome { get; set; }

    /// <summary>The request whose handler runs.</summary>
    public IOnceCall? Runs { get; set; }

    /// <summary>Those that wait for the same outcome.</summary>
    public HashSet<IOnceCall>? Joined { get; set; }

    /// <summary>When it ended.</summary>
    public TimeSpan EndedAt { get; set; }

    public long Bytes => Overhead + (Outcome?.Length ?? 0);
}
