using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipc.Matrix.Cells;

/// <summary>Everything of one run, as JSON: where charts, tables, the page and the advice come from.</summary>
internal sealed record RunFile
{
    private static readonly JsonSerializerOptions s_options = new() { WriteIndented = true, Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    [JsonPropertyName("date")]
    public string Date { get; init; } = "";

    [JsonPropertyName("machine")]
    public string Machine { get; init; } = "";

    [JsonPropertyName("kernel")]
    public string Kernel { get; init; } = "";

    [JsonPropertyName("versions")]
    public SortedDictionary<string, string> Versions { get; init; } = [];

    [JsonPropertyName("settings")]
    public SortedDictionary<string, string> Settings { get; init; } = [];

    /// <summary>Contents are made by counting: the same in every run.</summary>
    [JsonPropertyName("seed")]
    public int Seed { get; init; }

    [JsonPropertyName("seconds")]
    public double Seconds { get; init; }

    /// <summary>How many processors were busy with something else just before it began.</summary>
    [JsonPropertyName("load_before")]
    public double LoadBefore { get; init; }

    [JsonPropertyName("busy")]
    public bool IsBusy { get; init; }

    [JsonPropertyName("cells")]
    public IReadOnlyList<Result> Cells { get; init; } = [];

    [JsonPropertyName("failed")]
    public IReadOnlyList<Failure> Failed { get; init; } = [];

    public static RunFile Read(string path) =>
        JsonSerializer.Deserialize<RunFile>(File.ReadAllText(path), s_options) ?? throw new FormatException($"{path} is empty.");

    public void Write(string path) => File.WriteAllText(path, JsonSerializer.Serialize(this, s_options) + "\n");
}
