using System.Text.Json.Serialization;

namespace Ipc.Matrix.Cells;

/// <summary>A measured cell, as it stands in the run's file. Names are stable.</summary>
internal sealed record Result
{
    [JsonPropertyName("transport")]
    public string Transport { get; init; } = "";

    [JsonPropertyName("serializer")]
    public string Serializer { get; init; } = "";

    [JsonPropertyName("shape")]
    public string Shape { get; init; } = "";

    [JsonPropertyName("mode")]
    public string Mode { get; init; } = "";

    [JsonPropertyName("batch")]
    public int Batch { get; init; }

    [JsonPropertyName("pair")]
    public string Pair { get; init; } = "";

    [JsonPropertyName("wait")]
    public string Wait { get; init; } = "";

    /// <summary>Of a request: from before it was sent until its answer was checked; of a batch, from its beginning. Of a stream: the age of an item when it was checked.</summary>
    [JsonPropertyName("p50_us")]
    public double P50 { get; init; }

    [JsonPropertyName("p99_us")]
    public double P99 { get; init; }

    [JsonPropertyName("p999_us")]
    public double P999 { get; init; }

    [JsonPropertyName("max_us")]
    public double Max { get; init; }

    /// <summary>p99 as those see it who do not wait for the answer before their next request is due: a stall counts for every request that it holds up.</summary>
    [JsonPropertyName("p99_corrected_us")]
    public double P99Corrected { get; init; }

    /// <summary>Requests with their answers, or items, a second: the median of the rounds.</summary>
    [JsonPropertyName("messages_per_s")]
    public double MessagesPerSecond { get; init; }

    /// <summary>Payload of both directions in 10^6 bytes.</summary>
    [JsonPropertyName("mb_per_s")]
    public double MegabytesPerSecond { get; init; }

    /// <summary>Of both processes.</summary>
    [JsonPropertyName("cpu_us_per_message")]
    public double ProcessorPerMessage { get; init; }

    /// <summary>How often a thread of the two processes went to sleep: what a wake costs, in energy too, comes with each.</summary>
    [JsonPropertyName("sleeps_per_message")]
    public double SleepsPerMessage { get; init; }

    [JsonPropertyName("rounds")]
    public int Rounds { get; init; }

    [JsonPropertyName("messages_per_round")]
    public int MessagesPerRound { get; init; }

    /// <summary>The middle half of the rounds' rates as a share of their median; above a quarter the cell is unstable.</summary>
    [JsonPropertyName("spread")]
    public double Spread { get; init; }

    [JsonPropertyName("unstable")]
    public bool IsUnstable { get; init; }

    [JsonIgnore]
    public Cell Cell => new(Transport, Serializer, Shape, Mode, Batch, Pair, Wait);
}
