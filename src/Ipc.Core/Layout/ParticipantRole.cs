using System;

namespace Ipc;

/// <summary>What a participant is in its region; docs/wire-format.md section 2.</summary>
[Flags]
internal enum ParticipantRole : uint
{
    None = 0,
    Writer = 1,
    Reader = 2,
    Server = 4,
    Client = 8,
}
