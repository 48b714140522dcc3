using System;

namespace Ipc.Tool;

/// <summary>One entry of a region's table.</summary>
internal sealed record ParticipantReport
{
    public required int Index { get; init; }

    public required uint Generation { get; init; }

    public required uint Pid { get; init; }

    /// <summary>The program's name, when its process can be seen from here.</summary>
    public string? Process { get; init; }

    public required bool Alive { get; init; }

    /// <summary>Its process is stopped (a debugger, Ctrl+Z): alive, and holding what it holds.</summary>
    public bool Stopped { get; init; }

    public required string[] Roles { get; init; }

    /// <summary>C, C#.</summary>
    public required string Runtime { get; init; }

    public required DateTime Since { get; init; }

    /// <summary>How it waits; null: it does not say. The ends of rings and connections say it there.</summary>
    public SpinReport? Spin { get; init; }

    /// <summary>How it waits for room, if it learns that apart.</summary>
    public SpinReport? RoomSpin { get; init; }

    /// <summary>The pid is of another container.</summary>
    public bool ElsewhereInContainer { get; init; }
}
