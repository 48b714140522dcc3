using System;

namespace Ipc;

/// <summary>A set of <see cref="TopicPolicy"/>.</summary>
[Flags]
public enum TopicPolicies
{
    /// <summary>None.</summary>
    None = 0,
    /// <summary><see cref="TopicPolicy.Reliable"/>.</summary>
    Reliable = 1,
    /// <summary><see cref="TopicPolicy.Evict"/>.</summary>
    Evict = 2,
    /// <summary><see cref="TopicPolicy.Lossy"/>.</summary>
    Lossy = 4,
    /// <summary><see cref="TopicPolicy.Latest"/>.</summary>
    Latest = 8,
    /// <summary>Every one.</summary>
    All = Reliable | Evict | Lossy | Latest,
}
