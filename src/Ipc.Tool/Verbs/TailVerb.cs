using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary><c>ipc tail NAME</c>: the messages of a ring, queue or topic, seen in passing.</summary>
internal static class TailVerb
{
    /// <summary>Between two looks: nobody wakes who is in no table.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);

    /// <summary>Whether somebody still reads what is printed.</summary>
    private static readonly TimeSpan s_betweenQuestions = TimeSpan.FromMilliseconds(200);

    public static Command Create(Terminal terminal)
    {
        Argument<string> name = CommonOptions.RegionName("The ring, queue or topic.", "ring", "queue", "topic");
        Option<bool> json = CommonOptions.Json();
        var follow = new Option<bool>("--follow", "-f") { Description = "Go on with what comes." };
        var lines = new Option<int>("--lines", "-n") { Description = "Begin with so many of the messages that are there; all: -1.", HelpName = "COUNT", DefaultValueFactory = static _ => 10 };
        var count = new Option<long>("--count") { Description = "End after so many messages.", HelpName = "COUNT", DefaultValueFactory = static _ => long.MaxValue };
        var format = new Option<string>("--format") { Description = "hex, text, or auto: text where it is.", DefaultValueFactory = static _ => "auto" };
        format.AcceptOnlyFromAmong("auto", "hex", "text");
        var contract = new Option<string[]>("--contract", "-c") { Description = "Decode by a contract: a .proto file, or the assembly of a contract project.", HelpName = "FILE" };
        var message = new Option<string?>("--message", "-m") { Description = "The message in that contract.", HelpName = "MESSAGE" };
        var most = new Option<int>("--max") { Description = "Show so many bytes of a message.", HelpName = "BYTES", DefaultValueFactory = static _ => 256 };
        var command = new Command("tail", "Shows messages as they pass, without taking part: hexadecimal, text, or decoded.") { name, follow, lines, count, format, contract, message, most, json };
        command.SetAction(async (parsed, cancel) =>
        {
            string[] files = parsed.GetValue(contract) ?? [];
            if (files.Length > 0 != parsed.GetValue(message) is not null)
                throw new ToolException(ExitCode.Usage, "--contract and --message go together.");
            MessageType? type = parsed.GetValue(message) is { } wanted ? ContractLoader.Load(files).FindMessage(wanted) : null;
            RegionReport report = CommonOptions.Look(parsed, parsed.GetRequiredValue(name), InspectionDepth.Quick);
            CommonOptions.RequireSound(report);
            var printer = new MessagePrinter(terminal, parsed.GetValue(format)!, type, Math.Max(0, parsed.GetValue(most)), parsed.GetValue(json));
            using RegionLook look = RegionLook.Open(report);
            try
            {
                await ShowAsync(terminal, look, report, printer, parsed.GetValue(lines), parsed.GetValue(follow), parsed.GetValue(count), cancel);
                return ExitCode.Ok;
            }
            catch (DamageException error)
            {
                throw new ToolException(ExitCode.Unusable, $"{report.Path}: {error.Message}");
            }
        });
        return command;
    }

    private static async Task ShowAsync(Terminal terminal, RegionLook look, RegionReport report, MessagePrinter printer, int lines, bool follow, long count, CancellationToken cancel)
    {
        Tap tap = Tap.Open(look, report, fromOldest: lines != 0);
        List<TappedMessage> there = [.. tap.Poll()];
        foreach (TappedMessage message in there.Skip(lines < 0 ? 0 : Math.Max(0, there.Count - lines)))
        {
            if (count-- <= 0)
                return;
            printer.Print(message);
        }

        ulong missed = tap.Missed;
        long asked = Stopwatch.GetTimestamp();
        while (follow && count > 0)
        {
            bool hasEnded = look.HasEnded; // before the messages: the last ones are shown
            foreach (TappedMessage message in tap.Poll())
            {
                printer.Print(message);
                if (--count == 0)
                    break;
            }

            if (tap.Missed > missed)
                terminal.Error.WriteLine($"({tap.Missed - missed} {tap.Unit} passed unseen)");
            missed = tap.Missed;
            if (hasEnded)
            {
                terminal.Error.WriteLine($"({Tame.Line(report.Name)} has ended)");
                return;
            }

            if (Stopwatch.GetElapsedTime(asked) > s_betweenQuestions)
            {
                terminal.RequireReader();
                asked = Stopwatch.GetTimestamp();
            }

            await Task.Delay(s_pause, cancel);
        }
    }
}
