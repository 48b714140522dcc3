using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Runs a verb that may take long: off the thread that Ctrl+C is noticed on, with how far it is for who looks on, and a last line whatever ends it.</summary>
internal static class Work
{
    private static readonly TimeSpan s_betweenReports = TimeSpan.FromMilliseconds(200);

    /// <param name="terminal">Where progress is shown, if it is a window, and the last line.</param>
    /// <param name="json">The last line is JSON.</param>
    /// <param name="tally">What the work counts.</param>
    /// <param name="work">Reports how far it is as often as it likes; the text is made only when it is shown.</param>
    /// <param name="summary">The last line.</param>
    /// <param name="cancel">Ctrl+C.</param>
    public static async Task<int> RunAsync(Terminal terminal, bool json, Tally tally, Action<Action<Func<string>>> work, Func<string> summary, CancellationToken cancel)
    {
        long started = Stopwatch.GetTimestamp();
        try
        {
            await Task.Run(() => Shown(terminal, work), CancellationToken.None);
            if (!tally.IsDone)
                tally.Ended = "done";
        }
        catch (OperationCanceledException)
        {
            tally.Ended = "interrupted";
        }
        finally
        {
            tally.Seconds = Math.Round(Stopwatch.GetElapsedTime(started).TotalSeconds, 3);
            if (json)
                Json.Write(terminal.Out, tally);
            else
                (tally.IsDone ? terminal.Out : terminal.Error).WriteLine(Tame.Line(tally.Ended == "interrupted" ? "interrupted: " + summary() : summary()));
        }

        return tally.Ended == "interrupted" && cancel.IsCancellationRequested ? ExitCode.Interrupted : ExitCode.Ok;
    }

    private static void Shown(Terminal terminal, Action<Action<Func<string>>> work)
    {
        if (terminal.Width is null)
        {
            work(static _ => { });
            return;
        }

        terminal.Console.Live(new Text("")).AutoClear(true).Start(live =>
        {
            long last = Stopwatch.GetTimestamp();
            work(text =>
            {
                if (Stopwatch.GetElapsedTime(last) < s_betweenReports)
                    return;
                last = Stopwatch.GetTimestamp();
                live.UpdateTarget(new Text(Tame.Line(text())));
            });
        });
    }
}
