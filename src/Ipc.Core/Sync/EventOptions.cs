namespace Ipc;

/// <summary>How to open an event. What is said here of the event itself is used only by whoever creates it.</summary>
public sealed class EventOptions : SyncOptions
{
    /// <summary>Once set it stays set, and lets everybody pass, until it is reset. Otherwise each set lets one
    /// pass.</summary>
    public bool ManualReset { get; set; }

    /// <summary>It is set from the start.</summary>
    public bool InitiallySet { get; set; }
}
