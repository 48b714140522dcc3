using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Tool;

/// <summary>A gateway that does what its file says, also when that changes: what is new or otherwise is begun before what it replaces ends in good order.</summary>
/// <remarks>A file that makes no sense changes nothing, and is tried again until it does: what runs never ends for it.</remarks>
internal sealed class GatewayRun(Terminal terminal, string file, bool json) : IAsyncDisposable
{
    private static readonly TimeSpan s_drain = TimeSpan.FromSeconds(10);

    private readonly Dictionary<string, GatewayPart> _parts = []; // by what the file says of each, with the address
    private readonly object _printing = new();
    private readonly CancellationTokenSource _closing = new();
    private List<Task> _ending = [];
    private string? _read; // what is in effect
    private string? _wrong; // why what is in the file is not

    /// <summary>Reads the file, and does what it says if that has changed.</summary>
    /// <exception cref="ToolException">The first time: it makes no sense.</exception>
    public async Task ApplyAsync(bool isFirst)
    {
        try
        {
            GatewayConfiguration wanted = GatewayConfiguration.Read(file);
            if (wanted.Text == _read)
            {
                _wrong = null; // it was changed and is as before
                return;
            }

            await ChangeAsync(wanted);
            (_read, _wrong) = (wanted.Text, null);
            if (!isFirst)
                Say(new { Kind = "configuration", Name = file }, $"configuration {file}: read");
        }
#pragma warning disable CA1031 // as the remarks say
        catch (Exception error) when (error is not OutputClosedException)
#pragma warning restore CA1031
        {
            string why = error is ArgumentException ? GatewayConfiguration.ForPeople(error.Message) : error.Message;
            if (isFirst)
                throw error is ArgumentException ? new ToolException(ExitCode.Usage, $"{file}: {why}") : error;
            if (why != _wrong)
                Say(new { Kind = "configuration", Name = file, Reason = why }, $"configuration {file}: not in effect: {why}");
            _wrong = why;
        }
    }

    public GatewayStatus Look() => new(
        Environment.ProcessId,
        DateTimeOffset.UtcNow,
        _wrong is null ? null : $"{file} is not in effect: {_wrong}",
        [.. _parts.Values.Select(static part => part.Look()).OrderBy(static part => part.Kind).ThenBy(static part => part.Name, StringComparer.Ordinal)]);

    /// <summary>Ends in good order: calls that are under way have ten seconds.</summary>
    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        foreach (GatewayPart part in _parts.Values)
            End(part, null);
        _parts.Clear();
        await Task.WhenAll(_ending);
        _closing.Dispose();
    }

    private async Task ChangeAsync(GatewayConfiguration wanted)
    {
        Dictionary<string, GatewayPart> all = [];
        foreach (GatewayConfiguration.Export one in wanted.Exports)
            Add(all, new GatewayPart("export", one.Name, one.Service ?? one.Name) { Begin = part => one.Start(wanted.AddressOf(part.Service), change => Tell(part, change), letter => Tell(part, letter)) }, wanted, one);
        foreach (GatewayConfiguration.Import one in wanted.Imports)
            Add(all, new GatewayPart("import", one.Name, one.Service ?? one.Name) { Begin = part => one.Start(wanted.AddressOf(part.Service), change => Tell(part, change)) }, wanted, one);
        foreach (GatewayConfiguration.Topic one in wanted.Topics)
            Add(all, new GatewayPart("topic", one.Name, one.Remote ?? one.Name) { Begin = part => one.Start(wanted.AddressOf(part.Service), change => Tell(part, change)) }, wanted, one);

        GatewayPart[] fresh = [.. all.Where(one => !_parts.ContainsKey(one.Key)).Select(static one => one.Value)];
        KeyValuePair<string, GatewayPart>[] gone = [.. _parts.Where(one => !all.ContainsKey(one.Key))];

        // A topic's next gateway would send on what the one before publishes here, and so on: it has gone first.
        foreach ((string key, GatewayPart part) in gone.Where(static one => one.Value.Kind == "topic"))
        {
            _parts.Remove(key);
            part.Retire();
            await part.StopAsync(s_drain);
        }

        List<GatewayPart> begun = [];
        try
        {
            foreach (GatewayPart part in fresh)
            {
                part.Start();
                begun.Add(part);
            }
        }
        catch
        {
            begun.ForEach(part => End(part, null));
            throw;
        }

        foreach ((string key, GatewayPart part) in gone.Where(static one => one.Value.Kind != "topic"))
        {
            _parts.Remove(key);
            End(part, fresh.FirstOrDefault(next => (next.Kind, next.Name) == (part.Kind, part.Name)));
        }

        foreach ((string key, GatewayPart part) in all)
            _parts.TryAdd(key, part);
    }

    private static void Add<T>(Dictionary<string, GatewayPart> all, GatewayPart part, GatewayConfiguration wanted, T entry) =>
        all.Add(string.Join(' ', part.Kind, wanted.AddressOf(part.Service), JsonSerializer.Serialize(entry)), part);

    /// <param name="part">What ends.</param>
    /// <param name="next">What has its place, and is waited for: no call finds neither.</param>
    private void End(GatewayPart part, GatewayPart? next)
    {
        part.Retire();
        _ending = [.. _ending.Where(static task => !task.IsCompletedSuccessfully), Task.Run(async () =>
        {
            Deadline until = Deadline.After(s_drain);
            while (next is { IsServing: false } && !until.HasPassed && !_closing.IsCancellationRequested)
                await Task.Delay(50);
            await part.StopAsync(s_drain);
        })];
    }

    private void Tell(GatewayPart part, RabbitMqGatewayChange change)
    {
        if (part.Speaks)
            Say(new { part.Kind, part.Name, part.Service, Serving = change.IsServing, change.Reason }, $"{part.Kind} {part.Name}{(part.Service == part.Name ? "" : $" ({part.Service} at the broker)")}: {change.Reason ?? "serving"}");
    }

    private void Tell(GatewayPart part, RabbitMqDeadLetter letter) =>
        Say(new { Kind = "dead-letter", part.Name, part.Service, letter.Method, letter.Reason }, $"dead letter of {part.Name}: {letter.Method}: {letter.Reason}");

    private void Say<T>(T value, string line)
    {
        lock (_printing)
        {
            if (json)
                Json.WriteLine(terminal.Out, value);
            else
                terminal.Out.WriteLine(Tame.Line(line));
            terminal.Out.Flush();
        }
    }
}
