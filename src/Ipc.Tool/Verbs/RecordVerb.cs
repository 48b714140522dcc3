using System;
using System.CommandLine;
using System.IO;
using System.Threading;

namespace Ipc.Tool;

/// <summary><c>ipc record NAME FILE</c>: messages, with the times at which they came, into a file.</summary>
internal static class RecordVerb
{
    /// <summary>Between two looks at whether the time is over.</summary>
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(200);

    public static Command Create(Terminal terminal)
    {
        Argument<string> name = CommonOptions.RegionName("The topic, queue or ring.", "queue", "ring", "topic");
        var file = new Argument<string>("FILE") { Description = "The recording that is made; 'ipc replay' plays it." };
        var take = new Option<bool>("--take") { Description = "Receive the messages of a queue or a ring, so that none is missed and nobody else gets them." };
        var there = new Option<bool>("--existing") { Description = "Begin with the messages that are there." };
        var count = new Option<long>("--count", "-n") { Description = "End after so many messages.", HelpName = "COUNT", DefaultValueFactory = static _ => long.MaxValue };
        var seconds = new Option<double>("--seconds") { Description = "End after so long.", HelpName = "SECONDS", DefaultValueFactory = static _ => 1e6 };
        CommonOptions.Require(seconds, static value => value is > 0 and <= 1e6, "--seconds is more than 0.");
        var force = new Option<bool>("--force", "-f") { Description = "Replace FILE if it is there." };
        Option<bool> json = CommonOptions.Json();
        var command = new Command("record", "Records the messages of a topic, a queue or a ring into a file, in passing; Ctrl+C ends it.") { name, file, take, there, count, seconds, force, json };
        command.SetAction(async (parsed, cancel) =>
        {
            string path = parsed.GetRequiredValue(file);
            RegionReport report = CommonOptions.Look(parsed, parsed.GetRequiredValue(name), InspectionDepth.Quick);
            Joining.RequireMessages(report);
            if (!parsed.GetValue(force) && File.Exists(path))
                throw new ToolException(ExitCode.Usage, $"{path} is there already; --force replaces it.");
            var tally = new Tally { Name = report.Name, Kind = report.Kind!, File = path, Lost = 0 };
            return await Work.RunAsync(terminal, parsed.GetValue(json), tally, progress =>
            {
                using MessageSource source = parsed.GetValue(take) ? MessageSource.Take(report, cancel) : MessageSource.Watch(report, parsed.GetValue(there), cancel);
                using var recording = new RecordingWriter(path, report.Kind!, report.Name, parsed.GetValue(force));
                tally.Unit = source.Unit;
                try
                {
                    Record(source, recording, tally, parsed.GetValue(count), Deadline.After(TimeSpan.FromSeconds(parsed.GetValue(seconds))), progress, cancel);
                }
                finally
                {
                    recording.End(); // a recording that is ended by Ctrl+C is whole
                }
            }, () => $"recorded {tally} of {tally.Kind} {tally.Name} in {tally.File}{(tally.Lost > 0 ? $"; {tally.Lost} {tally.Unit} passed unseen" : "")}", cancel);
        });
        return command;
    }

    private static void Record(
        MessageSource source, RecordingWriter recording, Tally tally, long count, Deadline end, Action<Func<string>> progress, CancellationToken cancel)
    {
        bool isOver = false;
        while (tally.Messages < count && !isOver)
        {
            isOver = end.HasPassed; // before the look: where it takes long to get here, what is there is recorded all the same
            TappedMessage? message = source.Next(Deadline.Earlier(end, Deadline.After(s_longestWait)), cancel);
            if (source.Missed > tally.Lost)
            {
                recording.Lost((ulong)(source.Missed - tally.Lost!.Value));
                tally.Lost = source.Missed;
            }

            if (message is not null)
            {
                recording.Message(message);
                if (source.Takes)
                    recording.Flush(); // what is released stands nowhere else: a kill must not take it along
                source.Release();
                tally.Count(message.Payload.Length);
            }
            else if (source.HasEnded)
            {
                tally.Ended = "ended";
                return;
            }
            else
            {
                recording.Flush(); // there is time for it
            }

            progress(() => $"{tally}, {tally.Lost} {tally.Unit} unseen; Ctrl+C ends it");
        }
    }
}
