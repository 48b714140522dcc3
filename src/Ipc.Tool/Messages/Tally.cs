using System.Text.Json.Serialization;

namespace Ipc.Tool;

/// <summary>How many messages a verb has moved, for its last line.</summary>
internal sealed class Tally
{
    /// <summary>The region.</summary>
    public required string Name { get; init; }

    public required string Kind { get; init; }

    /// <summary>Of record and replay.</summary>
    public string? File { get; init; }

    public long Messages { get; set; }

    public long Bytes { get; set; }

    /// <summary>record: what passed unseen, in <see cref="Unit"/>; replay: what the recording says so of.</summary>
    public long? Lost { get; set; }

    /// <summary>messages, or bytes of a ring.</summary>
    public string? Unit { get; set; }

    public double Seconds { get; set; }

    /// <summary>done, interrupted, ended (the region has), failed.</summary>
    public string Ended { get; set; } = "failed";

    [JsonIgnore]
    public bool IsDone => Ended is "done" or "ended";

    public void Count(int length)
    {
        Messages++;
        Bytes += length;
    }

    /// <summary>2 messages (40 B).</summary>
    public override string ToString() => $"{Messages} message{(Messages == 1 ? "" : "s")} ({Human.Bytes(Bytes)})";
}
