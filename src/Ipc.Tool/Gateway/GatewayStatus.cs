using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;

namespace Ipc.Tool;

/// <summary>What a gateway does, once a second, in a file: for health checks and for who looks.</summary>
internal sealed record GatewayStatus(int Process, DateTimeOffset At, IReadOnlyList<GatewayStatus.Part> Parts)
{
    private static readonly TimeSpan s_old = TimeSpan.FromSeconds(10);
    private static readonly JsonSerializerOptions s_options = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase, WriteIndented = true };

    /// <param name="Kind"><c>export</c> or <c>import</c>.</param>
    /// <param name="Name">The name on this machine.</param>
    /// <param name="Service">The name at the broker.</param>
    /// <param name="Reason">Why it does not serve.</param>
    /// <param name="Requests">Calls that have passed.</param>
    /// <param name="InHand">Of an export: requests that are being handled.</param>
    /// <param name="DeadLetters">Of an export.</param>
    /// <param name="Clients">Of an import: clients that are connected.</param>
    /// <param name="Methods">Of an import: methods that are offered.</param>
    internal sealed record Part(string Kind, string Name, string Service, string? Reason, long Requests, int? InHand, long? DeadLetters, int? Clients, int? Methods)
    {
        public bool Serving => Reason is null;
    }

    /// <summary>In the place of the one before: who reads sees either.</summary>
    public void Write(string file)
    {
        string next = file + ".next";
        File.WriteAllText(next, JsonSerializer.Serialize(this, s_options));
        File.Move(next, file, overwrite: true);
    }

    /// <exception cref="ToolException">It is no such file.</exception>
    public static GatewayStatus Read(string file)
    {
        try
        {
            return JsonSerializer.Deserialize<GatewayStatus>(File.ReadAllText(file), s_options) is { Parts: not null } status && status.Parts.All(static part => part is { Kind: not null, Name: not null, Service: not null })
                ? status
                : throw new ToolException(ExitCode.Unusable, $"{file} is no status of a gateway.");
        }
        catch (JsonException error)
        {
            throw new ToolException(ExitCode.Unusable, $"{file} is no status of a gateway: {error.Message}");
        }
    }

    /// <summary>What is not well, in words.</summary>
    public IEnumerable<string> Problems(DateTimeOffset now)
    {
        if (now - At > s_old)
            yield return $"The gateway (process {Process}) has said nothing for {(now - At).TotalSeconds:0} s.";
        foreach (Part part in Parts.Where(static part => !part.Serving))
            yield return $"{part.Kind} {part.Name}: {part.Reason}";
    }
}
