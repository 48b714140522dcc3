using System;
using System.CommandLine;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary><c>ipc receive NAME</c>: takes messages out of a queue or a ring, and prints them.</summary>
/// <remarks>A message is released once it has been printed: who is killed in between leaves it to the next receiver.</remarks>
internal static class ReceiveVerb
{
    /// <summary>Between two questions whether somebody reads what is printed.</summary>
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(200);

    public static Command Create(Terminal terminal)
    {
        Argument<string> name = CommonOptions.RegionName("The queue or ring.", "queue", "ring");
        Option<bool> json = CommonOptions.Json();
        var follow = new Option<bool>("--follow", "-f") { Description = "Wait for messages without an end." };
        var count = new Option<long>("--count", "-n") { Description = "End after so many messages.", HelpName = "COUNT", DefaultValueFactory = static _ => long.MaxValue };
        var timeout = new Option<double>("--timeout") { Description = "Seconds to wait for each message; 0: take what is there.", HelpName = "SECONDS" };
        CommonOptions.Require(timeout, static value => value is >= 0 and <= 1e6, "--timeout is 0 seconds or more.");
        var format = new Option<string>("--format") { Description = "hex, text, or auto: text where it is.", DefaultValueFactory = static _ => "auto" };
        format.AcceptOnlyFromAmong("auto", "hex", "text");
        var most = new Option<int>("--max") { Description = "Show so many bytes of a message.", HelpName = "BYTES", DefaultValueFactory = static _ => 256 };
        var command = new Command("receive", "Takes messages out of a queue or a ring and prints them: nobody else gets them. 'ipc tail' only looks.") { name, count, follow, timeout, format, most, json };
        command.SetAction(async (parsed, cancel) =>
        {
            RegionReport report = CommonOptions.Look(parsed, parsed.GetRequiredValue(name), InspectionDepth.Quick);
            var printer = new MessagePrinter(terminal, parsed.GetValue(format)!, null, Math.Max(0, parsed.GetValue(most)), parsed.GetValue(json));
            long wanted = parsed.GetValue(count), got = 0;
            await Task.Run(() =>
            {
                using MessageSource source = MessageSource.Take(report, cancel);
                while (got < wanted && Next(terminal, source, parsed.GetValue(follow) ? Deadline.Never : Deadline.After(TimeSpan.FromSeconds(parsed.GetValue(timeout))), cancel) is { } message)
                {
                    printer.Print(message);
                    source.Release();
                    got++;
                }
            }, default);
            return got > 0 && (got == wanted || wanted == long.MaxValue) ? ExitCode.Ok : ExitCode.TimedOut;
        });
        return command;
    }

    /// <summary>Waits in pieces: no message is taken for a reader of the output who has left meanwhile.</summary>
    private static TappedMessage? Next(Terminal terminal, MessageSource source, Deadline deadline, CancellationToken cancel)
    {
        TappedMessage? message;
        do
            message = source.Next(Deadline.Earlier(deadline, Deadline.After(s_longestWait)), cancel);
        while (message is null && !source.HasEnded && !deadline.HasPassed && HasReader(terminal));
        return message;
    }

    private static bool HasReader(Terminal terminal)
    {
        terminal.RequireReader();
        return true;
    }
}
