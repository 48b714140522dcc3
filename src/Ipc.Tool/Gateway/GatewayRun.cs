using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Tool;

/// <summary>A gateway that does what its file says, also when that changes: what is new or otherwise is begun before what it replaces ends in good order.</summary>
internal sealed class GatewayRun(Terminal terminal, string file, bool json) : IAsyncDisposable
{
    private static readonly TimeSpan s_drain = TimeSpan.FromSeconds(10);

    private readonly Dictionary<object, IAsyncDisposable> _parts = []; // by what the file says of each, with the address
    private readonly object _printing = new();
    private string? _text;
    private List<Task> _ending = [];

    /// <summary>Reads the file, if it has changed.</summary>
    /// <param name="isFirst">What is wrong is thrown then; later it is said, and nothing changes.</param>
    public void Apply(bool isFirst)
    {
        string? text = null;
        try
        {
            text = File.ReadAllText(file);
            if (text == _text)
                return;
            Change(GatewayConfiguration.Parse(text, file));
            if (!isFirst)
                Say("configuration", file, null, null, "read");
        }
        catch (Exception error) when (error is ToolException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            if (isFirst)
                throw error is ArgumentException ? new ToolException(ExitCode.Usage, $"{file}: {error.Message}") : error;
            if (text is null || text != _text)
                Say("configuration", file, null, error.Message, null);
        }

        _text = text ?? _text; // what is wrong is said once
    }

    public GatewayStatus Look() => new(
        Environment.ProcessId,
        DateTimeOffset.UtcNow,
        [.. _parts.Values.Select(static part => part switch
        {
            RabbitMqExport export => new GatewayStatus.Part("export", export.Name, export.Service, export.Trouble, export.Requests, export.RequestsInHand, export.DeadLetters, null, null),
            RabbitMqImport import => new GatewayStatus.Part("import", import.Name, import.Service, import.Trouble, import.Requests, null, null, import.ConnectionCount, import.Methods),
            _ => throw new InvalidOperationException("a part of another kind"),
        }).OrderBy(static part => part.Kind).ThenBy(static part => part.Name, StringComparer.Ordinal)]);

    /// <summary>Ends in good order: calls that are under way have some seconds.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable part in _parts.Values)
            End(part);
        _parts.Clear();
        await Task.WhenAll(_ending);
    }

    private void Change(GatewayConfiguration wanted)
    {
        Dictionary<object, IAsyncDisposable> begun = [];
        HashSet<object> all = [];
        try
        {
            foreach (GatewayConfiguration.Export export in wanted.Exports)
            {
                string service = export.Service ?? export.Name, address = wanted.AddressOf(service, file);
                object key = Key("export", address, export);
                if (all.Add(key) && !_parts.ContainsKey(key))
                    begun[key] = export.Start(address, change => Say("export", export.Name, service, change.Reason, null), letter => Say("dead letter", export.Name, service, letter.Reason, letter.Method));
            }

            foreach (GatewayConfiguration.Import import in wanted.Imports)
            {
                string service = import.Service ?? import.Name, address = wanted.AddressOf(service, file);
                object key = Key("import", address, import);
                if (all.Add(key) && !_parts.ContainsKey(key))
                    begun[key] = import.Start(address, change => Say("import", import.Name, service, change.Reason, null));
            }
        }
        catch
        {
            foreach (IAsyncDisposable part in begun.Values)
                End(part);
            throw;
        }

        foreach (object gone in _parts.Keys.Where(key => !all.Contains(key)).ToArray())
        {
            End(_parts[gone], begun.Values.FirstOrDefault(part => NameOf(part) == NameOf(_parts[gone])));
            _parts.Remove(gone);
        }

        foreach ((object key, IAsyncDisposable part) in begun)
            _parts[key] = part;
    }

    /// <summary>Lists are compared by what they are of.</summary>
    private static string Key(string kind, string address, object entry) => kind + " " + address + " " + System.Text.Json.JsonSerializer.Serialize(entry, entry.GetType());

    private static string? NameOf(IAsyncDisposable part) => part is RabbitMqExport export ? "export " + export.Name : (part as RabbitMqImport)?.Name;

    private static bool IsServing(IAsyncDisposable part) => part is RabbitMqExport { IsServing: true } or RabbitMqImport { IsServing: true };

    /// <param name="part">What ends.</param>
    /// <param name="next">What has its place, and is waited for: no call finds neither.</param>
    private void End(IAsyncDisposable part, IAsyncDisposable? next = null)
    {
        _ending = [.. _ending.Where(static task => !task.IsCompletedSuccessfully), Task.Run(async () =>
        {
            Deadline until = Deadline.After(s_drain);
            while (next is not null && !IsServing(next) && !until.HasPassed)
                await Task.Delay(50);
            await (part switch
            {
                RabbitMqExport export => export.StopAsync(s_drain, CancellationToken.None),
                RabbitMqImport import => import.StopAsync(s_drain, CancellationToken.None),
                _ => part.DisposeAsync().AsTask(),
            });
        })];
    }

    private void Say(string kind, string name, string? service, string? reason, string? what)
    {
        lock (_printing)
        {
            if (json)
                Json.WriteLine(terminal.Out, new { Kind = kind, Name = name, Service = service, Serving = reason is null, Reason = reason, What = what });
            else if (kind == "dead letter")
                terminal.Out.WriteLine(Tame.Line($"dead letter of {name}: {what}: {reason}"));
            else
                terminal.Out.WriteLine(Tame.Line($"{kind} {name}{(service is null || service == name ? "" : $" ({service} at the broker)")}: {reason ?? what ?? "serving"}"));
            terminal.Out.Flush();
        }
    }
}
