using System;
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace Ipc.Tool;

/// <summary><c>ipc send NAME [TEXT]</c>: messages into a queue, a ring or a topic.</summary>
internal static class SendVerb
{
    public static Command Create(Terminal terminal)
    {
        Argument<string> name = CommonOptions.RegionName("The queue, ring or topic.", "queue", "ring", "topic");
        var text = new Argument<string?>("TEXT") { Description = "The message. Without it, and without --file and --hex: each line of the input.", Arity = ArgumentArity.ZeroOrOne };
        var file = new Option<string?>("--file") { Description = "The message is what this file holds; -: the whole input.", HelpName = "FILE" };
        var hex = new Option<string?>("--hex") { Description = "The message in hexadecimal; blanks between bytes are allowed.", HelpName = "BYTES" };
        var type = new Option<ushort>("--type") { Description = "The message's type, 0 to 65535.", HelpName = "NUMBER" };
        var key = new Option<ulong>("--key") { Description = "The message's key, in a topic.", HelpName = "NUMBER" };
        Option<double> timeout = Timeout();
        Option<bool> json = CommonOptions.Json();
        var command = new Command("send", "Sends messages to a queue, a ring or a topic that is there: a text, a file, bytes, or the lines of the input.")
        {
            name, text, file, hex, type, key, timeout, json,
        };
        command.Validators.Add(result =>
        {
            if (new object?[] { result.GetValue(text), result.GetValue(file), result.GetValue(hex) }.Count(static one => one is not null) > 1)
                result.AddError("one of TEXT, --file and --hex, or none of them for the lines of the input.");
        });
        command.SetAction(async (parsed, cancel) =>
        {
            byte[]? bytes = parsed.GetValue(hex) is { } digits ? Bytes(digits) : parsed.GetValue(text) is { } words ? Encoding.UTF8.GetBytes(words) : null;
            RegionReport report = CommonOptions.Look(parsed, parsed.GetRequiredValue(name), InspectionDepth.Quick);
            Joining.RequireMessages(report);
            if (parsed.GetResult(key) is not null && report.Kind != "topic")
                throw new ToolException(ExitCode.Usage, $"--key is for topics, and {report.Name} is a {report.Kind}.");
            var limit = TimeSpan.FromSeconds(parsed.GetValue(timeout));
            var tally = new Tally { Name = report.Name, Kind = report.Kind! };
            return await Work.RunAsync(terminal, parsed.GetValue(json), tally, _ =>
            {
                using MessageSink sink = MessageSink.Open(report, cancel);
                foreach (byte[] message in bytes is not null ? [bytes] : Messages(terminal, parsed.GetValue(file), cancel))
                {
                    sink.Send(message, parsed.GetValue(type), parsed.GetValue(key), Deadline.After(limit), cancel);
                    tally.Count(message.Length);
                }
            }, () => $"sent {tally} to {tally.Kind} {tally.Name}", cancel);
        });
        return command;
    }

    /// <summary>For each message.</summary>
    public static Option<double> Timeout()
    {
        var timeout = new Option<double>("--timeout") { Description = "Seconds to wait for room, for each message; 0: not at all.", HelpName = "SECONDS", DefaultValueFactory = static _ => 5 };
        CommonOptions.Require(timeout, static value => value is >= 0 and <= 1e6, "--timeout is 0 seconds or more.");
        return timeout;
    }

    private static IEnumerable<byte[]> Messages(Terminal terminal, string? file, CancellationToken cancel)
    {
        if (file == "-")
            return [InputLines.ReadAll(terminal.InBytes, cancel)];
        if (file is not null)
            return [File.ReadAllBytes(file)];
        if (terminal.IsInteractive)
            terminal.Error.WriteLine("(each line is a message; Ctrl+D ends them)");
        return InputLines.Read(terminal.InBytes, cancel);
    }

    private static byte[] Bytes(string digits)
    {
        try
        {
            return Convert.FromHexString(digits.Replace(" ", "", StringComparison.Ordinal));
        }
        catch (FormatException)
        {
            throw new ToolException(ExitCode.Usage, $"--hex is two hexadecimal digits for each byte, not \"{digits}\".");
        }
    }
}
