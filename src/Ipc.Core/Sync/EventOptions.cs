namespace Ipc;

/// <summary>How to open an event. These two options only take effect when the event is created.</summary>
public sealed class EventOptions : SyncOptions
{
    /// <summary>Whether the event stays set, and lets all waiters pass, until it is reset. Otherwise each set lets one
    /// waiter pass.</summary>
    public bool ManualReset { get; set; }

    /// <summary>Whether the event is set when it is created.</summary>
    public bool InitiallySet { get; set; }
}
