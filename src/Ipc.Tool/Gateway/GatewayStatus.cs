using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;

namespace Ipc.Tool;

/// <summary>What a gateway does, once a second, in a file: for health checks and for who looks.</summary>
/// <param name="Process">Its id.</param>
/// <param name="At">When it was so.</param>
/// <param name="Wrong">Why its file is not in effect.</param>
/// <param name="Parts">What it has to do.</param>
internal sealed record GatewayStatus(int Process, DateTimeOffset At, string? Wrong, IReadOnlyList<GatewayStatus.Part> Parts)
{
    private static readonly TimeSpan s_old = TimeSpan.FromSeconds(10);
    private static readonly JsonSerializerOptions s_options = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase, DefaultIgnoreCondition = System.Text.Json.Serialization.JsonIgnoreCondition.WhenWritingNull, WriteIndented = true };

    /// <param name="Kind"><c>export</c>, <c>import</c> or <c>topic</c>.</param>
    /// <param name="Name">The name on this machine.</param>
    /// <param name="Service">The name at the broker.</param>
    /// <param name="Reason">Why it does not serve.</param>
    /// <param name="Requests">Calls that have passed; of a topic messages.</param>
    internal sealed record Part(string Kind, string Name, string Service, string? Reason, long Requests)
    {
        public bool Serving => Reason is null;

        /// <summary>Of an export: requests that are being handled.</summary>
        public int? InHand { get; init; }

        /// <summary>Of an export.</summary>
        public long? DeadLetters { get; init; }

        /// <summary>Of an import: clients that are connected.</summary>
        public int? Clients { get; init; }

        /// <summary>Of an import: methods that are offered.</summary>
        public int? Methods { get; init; }

        /// <summary>Of a topic: messages that did not come or go.</summary>
        public long? Lost { get; init; }

        /// <summary>Of a topic: messages that were left out.</summary>
        public long? Unfit { get; init; }
    }

    /// <summary>In the place of the one before: who reads sees either.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    public void Write(string file)
    {
        string next = $"{file}.{Process}.next"; // another gateway may have been given the same file
        try
        {
            File.Delete(next); // a link that somebody has put there is not followed
            using (var stream = new FileStream(next, FileMode.CreateNew, FileAccess.Write))
                JsonSerializer.Serialize(stream, this, s_options);
            File.Move(next, file, overwrite: true);
        }
        catch
        {
            Remove(next);
            throw;
        }
    }

    /// <summary>This gateway's last word: the file goes, if it is its own.</summary>
    public static void Forget(string file)
    {
        try
        {
            if (Read(file).Process == Environment.ProcessId)
                File.Delete(file);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ToolException)
        {
            // it tells its age
        }
    }

    private static void Remove(string file)
    {
        try
        {
            File.Delete(file);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // what is told is the first failure
        }
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
        if ((now - At).Duration() > s_old) // a clock may have been set back
            yield return $"The gateway (process {Process}) has said nothing for {(now - At).Duration().TotalSeconds:0} s.";
        if (Wrong is not null)
            yield return Wrong;
        foreach (Part part in Parts.Where(static part => !part.Serving))
            yield return $"{part.Kind} {part.Name}: {part.Reason}";
    }
}
