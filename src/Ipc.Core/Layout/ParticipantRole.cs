using System;

namespace Ipc;

/// <summary>What a participant is in its region.</summary>
[Flags]
#pragma warning disable CA1028 // as wide as in the participant table, docs/wire-format.md section 2
public enum ParticipantRole : uint
#pragma warning restore CA1028
{
    /// <summary>Nothing.</summary>
    None = 0,
    /// <summary>It writes or sends.</summary>
    Writer = 1,
    /// <summary>It reads or receives.</summary>
    Reader = 2,
    /// <summary>It listens for connections.</summary>
    Server = 4,
    /// <summary>It connects.</summary>
    Client = 8,
}
