namespace Ipc.Native;

/// <summary>A client found another server than before under the name, gave the conversation up, and began anew:
/// <c>ipc_named_reset</c>. Numbers begin at 1 again.</summary>
public sealed class NativeNamedReset
{
    internal unsafe NativeNamedReset(NamedResetData* data)
    {
        Count = unchecked((long)data->Count);
        OldIdentity = Utf8.From(data->OldIdentity);
        NewIdentity = Utf8.From(data->NewIdentity);
        UnacknowledgedSent = unchecked((long)data->UnacknowledgedSent);
        UnacknowledgedReceived = unchecked((long)data->UnacknowledgedReceived);
    }

    /// <summary>How often that was.</summary>
    public long Count { get; }

    /// <summary>Who the server was, the last time.</summary>
    public string OldIdentity { get; }

    /// <summary>Who it is.</summary>
    public string NewIdentity { get; }

    /// <summary>Given up: messages that the former server did not acknowledge.</summary>
    public long UnacknowledgedSent { get; }

    /// <summary>Given up: messages of the former server that were not acknowledged here.</summary>
    public long UnacknowledgedReceived { get; }
}
