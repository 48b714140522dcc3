using System;
using System.CommandLine;
using System.Diagnostics;
using System.Threading;

namespace Ipc.Tool;

/// <summary><c>ipc replay FILE</c>: the messages of a recording once more, at their times.</summary>
internal static class ReplayVerb
{
    public static Command Create(Terminal terminal)
    {
        var file = new Argument<string>("FILE") { Description = "What 'ipc record' has made." };
        var to = new Option<string?>("--to") { Description = "Into this queue, ring or topic instead of the one that was recorded.", HelpName = "NAME" };
        var speed = new Option<double>("--speed") { Description = "So many times as fast as it was.", HelpName = "FACTOR", DefaultValueFactory = static _ => 1 };
        CommonOptions.Require(speed, static value => value is > 0 and <= 1e6, "--speed is more than 0; --fast does not wait at all.");
        var fast = new Option<bool>("--fast") { Description = "As fast as there is room." };
        var loop = new Option<long?>("--loop") { Description = "Play it so many times; without a number until Ctrl+C.", HelpName = "TIMES", Arity = ArgumentArity.ZeroOrOne };
        Option<double> timeout = SendVerb.Timeout();
        Option<bool> json = CommonOptions.Json();
        var command = new Command("replay", "Sends the messages of a recording again, at the times at which they came; Ctrl+C ends it.") { file, to, speed, fast, loop, timeout, json };
        command.SetAction(async (parsed, cancel) =>
        {
            using var recording = new RecordingReader(parsed.GetRequiredValue(file));
            RegionReport report = CommonOptions.Look(parsed, parsed.GetValue(to) ?? recording.Name, InspectionDepth.Quick);
            long times = parsed.GetResult(loop) is null ? 1 : parsed.GetValue(loop) ?? long.MaxValue;
            double pace = parsed.GetValue(fast) ? double.PositiveInfinity : parsed.GetValue(speed);
            var tally = new Tally { Name = report.Name, Kind = report.Kind ?? "", File = parsed.GetRequiredValue(file), Lost = 0, Unit = recording.Kind == "ring" ? "bytes" : "messages" };
            int code = await Work.RunAsync(terminal, parsed.GetValue(json), tally, progress =>
            {
                using MessageSink sink = MessageSink.Open(report, cancel);
                var play = new Play(recording, sink, tally, TimeSpan.FromSeconds(parsed.GetValue(timeout)), pace, progress);
                for (long round = 0; round < times && play.Once(cancel); round++)
                    recording.Rewind();
            }, () => $"replayed {tally} of {tally.File} into {tally.Kind} {tally.Name}{(tally.Lost > 0 ? $"; {tally.Lost} {tally.Unit} passed unseen when it was recorded" : "")}", cancel);
            if (!recording.WasCutShort)
                return code;
            terminal.Error.WriteLine("ipc: the recording was cut short: whoever made it was killed, or the disk was full.");
            return code == ExitCode.Ok ? ExitCode.Problems : code;
        });
        return command;
    }

    /// <summary>Plays a recording once from its beginning.</summary>
    private sealed class Play(RecordingReader recording, MessageSink sink, Tally tally, TimeSpan limit, double speed, Action<Func<string>> progress)
    {
        /// <summary>False: there is no message in it, so that playing it again would go on for ever doing nothing.</summary>
        public bool Once(CancellationToken cancel)
        {
            long started = Stopwatch.GetTimestamp(), before = tally.Messages;
            while (recording.Next(out RecordingEntry entry))
            {
                cancel.ThrowIfCancellationRequested();
                if (entry.What == RecordingFormat.LostEntry)
                {
                    tally.Lost += (long)Math.Min(entry.Number, long.MaxValue / 2);
                    continue;
                }

                Wait(started, entry.Nanoseconds, cancel);
                sink.Send(entry.Payload, entry.Type, entry.Number, Deadline.After(limit), cancel);
                tally.Count(entry.Payload.Length);
                progress(() => $"{tally}, {100 * recording.Progress:0} % of the recording; Ctrl+C ends it");
            }

            return tally.Messages > before;
        }

        /// <summary>Until the message's time, counted from the beginning: lateness does not add up.</summary>
        private void Wait(long started, ulong nanoseconds, CancellationToken cancel)
        {
            if (double.IsInfinity(speed))
                return;
            double due = nanoseconds / 1e6 / speed;
            for (double left; (left = due - Stopwatch.GetElapsedTime(started).TotalMilliseconds) >= 1;)
            {
                progress(() => $"{tally}, {100 * recording.Progress:0} % of the recording; Ctrl+C ends it");
                if (cancel.WaitHandle.WaitOne((int)Math.Min(left, 200)))
                    throw new OperationCanceledException(cancel);
            }
        }
    }
}
