using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Ipc.Tool;

/// <summary><c>ipc top</c>: the table of ls, again and again.</summary>
internal static class TopVerb
{
    /// <summary>A console can be asked for a key, and waited for without an end; nothing lies between. So it is asked, as often as a finger needs.</summary>
    private static readonly TimeSpan s_betweenKeys = TimeSpan.FromMilliseconds(50);

    /// <summary>The titles, how many more there are, and the line of the cursor.</summary>
    private const int LinesBesideRows = 3;

    public static Command Create(Terminal terminal)
    {
        Option<bool> json = CommonOptions.Json();
        var interval = new Option<double>("--interval", "-d") { Description = "Seconds between two looks.", HelpName = "SECONDS", DefaultValueFactory = static _ => 1 };
        CommonOptions.Require(interval, static value => value is >= 0.01 and <= 3600, "--interval is 0.01 to 3600 seconds.");
        var count = new Option<int>("--count", "-n") { Description = "End after so many tables.", HelpName = "COUNT", DefaultValueFactory = static _ => int.MaxValue };
        var sort = new Option<string>("--sort") { Description = "rate, depth, memory or name.", DefaultValueFactory = static _ => "rate" };
        sort.AcceptOnlyFromAmong("rate", "depth", "memory", "name");
        var command = new Command("top", "Shows a live table of what moves; q ends it. With --json one line per look.") { interval, count, sort, json };
        command.SetAction(async (parsed, cancel) =>
        {
            var looks = new Looks(CommonOptions.PlacesOf(parsed), TimeSpan.FromSeconds(parsed.GetValue(interval)), parsed.GetValue(sort)!);
            int left = parsed.GetValue(count);
            if (parsed.GetValue(json))
                await RepeatAsync(looks, left, reports => Json.WriteLine(terminal.Out, reports), cancel);
            else if (terminal.IsInteractive)
                await LiveAsync(terminal, looks, left, cancel);
            else
                await RepeatAsync(looks, left, reports => terminal.Console.Write(Page(terminal, looks, reports)), cancel);
            return ExitCode.Ok;
        });
        return command;
    }

    private static async Task RepeatAsync(Looks looks, int count, Action<List<RegionReport>> show, CancellationToken cancel)
    {
        while (count-- > 0)
        {
            show(await looks.NextAsync(cancel));
        }
    }

    private static async Task LiveAsync(Terminal terminal, Looks looks, int count, CancellationToken cancel)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        Task keys = Task.Run(() => WatchKeys(end), CancellationToken.None);
        try
        {
            await terminal.Console.Live(Page(terminal, looks, [])).AutoClear(false).Overflow(VerticalOverflow.Crop).StartAsync(async live =>
            {
                while (count-- > 0)
                {
                    live.UpdateTarget(Page(terminal, looks, await looks.NextAsync(end.Token)));
                    live.Refresh();
                }
            });
        }
        catch (OperationCanceledException)
        {
            // q, or Ctrl+C: that is how it ends.
        }
        finally
        {
            await end.CancelAsync();
            await keys;
        }
    }

    private static void WatchKeys(CancellationTokenSource end)
    {
        while (!end.IsCancellationRequested)
        {
            if (Console.KeyAvailable && Console.ReadKey(intercept: true).Key == ConsoleKey.Q)
                end.Cancel();
            else
                end.Token.WaitHandle.WaitOne(s_betweenKeys);
        }
    }

    /// <summary>The head, as many regions as there is room for below it, and how many more there are.</summary>
    private static Rows Page(Terminal terminal, Looks looks, List<RegionReport> reports)
    {
        string head = $"{looks.Places.Directory}  {DateTime.UtcNow:HH:mm:ss}Z  {Human.Some(reports.Count, "region")}, {Human.Bytes(reports.Sum(static report => report.Memory))}, " +
            $"{Human.Some(reports.Sum(static report => report.Alive), "participant")} alive, {reports.Count(static report => report.IsDead)} left by the dead";
        List<string> lines = Folding.Lines(Tame.Line(head), terminal.Width ?? int.MaxValue);
        int room = terminal.IsInteractive ? terminal.Console.Profile.Height - lines.Count - LinesBesideRows : int.MaxValue;
        IRenderable table = RegionTable.Of(reports).Fit(terminal.Width, room, out int shown);
        return new Rows(new Text(string.Join('\n', lines)), table, new Text(reports.Count > shown ? $"and {reports.Count - shown} more" : ""));
    }

    /// <summary>Looks at regular intervals, with the rates between one and the next.</summary>
    private sealed class Looks((string Directory, string? Machine) places, TimeSpan interval, string sort)
    {
        private List<RegionReport>? _last;

        public (string Directory, string? Machine) Places { get; } = places;

        public async Task<List<RegionReport>> NextAsync(CancellationToken cancel)
        {
            _last ??= LiveConnections.WithAll(Places, InspectionDepth.Quick);
            await Task.Delay(interval, cancel);
            List<RegionReport> now = LiveConnections.WithAll(Places, InspectionDepth.Quick);
            Rates.Apply(_last, now);
            _last = now;
            IOrderedEnumerable<RegionReport> sorted = sort switch
            {
                "rate" => now.OrderByDescending(static report => report.Rate?.In + (report.Rate?.Out ?? 0) ?? -1),
                "depth" => now.OrderByDescending(static report => report.Depth ?? -1),
                "memory" => now.OrderByDescending(static report => report.Memory),
                _ => now.OrderBy(static report => report.Name, StringComparer.Ordinal),
            };
            return [.. sorted.ThenBy(static report => report.Name, StringComparer.Ordinal)];
        }
    }
}
