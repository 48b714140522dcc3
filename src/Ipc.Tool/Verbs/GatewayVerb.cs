using System;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary><c>ipc gateway FILE</c>: publishes servers of this machine at a broker, and offers services of other machines here, until it is interrupted.</summary>
internal static class GatewayVerb
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(1);

    /// <summary>How long an interrupt may take, where that is longer than for other verbs: calls that are under way have ten seconds.</summary>
    public static TimeSpan? LongestEnd(ParseResult parsed) => parsed.CommandResult.Command.Name == "gateway" ? TimeSpan.FromSeconds(20) : null;

    public static Command Create(Terminal terminal)
    {
        var file = new Argument<string>("FILE") { Description = "What it does, as JSON: \"broker\", \"exports\", \"imports\", \"topics\". When the file changes, so does the gateway." };
        var status = new Option<string>("--status") { Description = "A file that says once a second how it is.", HelpName = "FILE" };
        var health = new Option<bool>("--health") { Description = "FILE is such a file: how it is. The exit code is 1 when something is not well." };
        Option<bool> json = CommonOptions.Json();
        var command = new Command("gateway", "Publishes servers of this machine at a RabbitMQ broker, and offers services there as servers of this machine. Until it is interrupted.") { file, status, health, json };
        command.SetAction(async (parsed, cancel) =>
        {
            CommonOptions.DirectoryOf(parsed);
            string path = parsed.GetRequiredValue(file);
            return parsed.GetValue(health)
                ? Health(terminal, path, parsed.GetValue(json))
                : await RunAsync(terminal, path, parsed.GetValue(status), parsed.GetValue(json), cancel);
        });
        return command;
    }

    private static async Task<int> RunAsync(Terminal terminal, string file, string? status, bool json, CancellationToken cancel)
    {
        await using var run = new GatewayRun(terminal, file, json);
        if (status is not null)
            run.Look().Write(status); // before anything is taken from a gateway that runs
        await run.ApplyAsync(isFirst: true);
        string? unwritten = null;
        try
        {
            while (true)
            {
                if (status is not null)
                    unwritten = Write(terminal, run, status, unwritten);
                await Task.Delay(s_look, cancel);
                await run.ApplyAsync(isFirst: false);
            }
        }
        catch (OperationCanceledException) when (cancel.IsCancellationRequested)
        {
            return ExitCode.Ok; // a service's good end
        }
        finally
        {
            if (status is not null)
                GatewayStatus.Forget(status);
        }
    }

    /// <summary>A status that cannot be written ends nothing. Returns why it could not.</summary>
    private static string? Write(Terminal terminal, GatewayRun run, string status, string? before)
    {
        try
        {
            run.Look().Write(status);
            return null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            if (error.Message != before)
                terminal.Error.WriteLine("ipc: the status cannot be written: " + Tame.Line(error.Message));
            return error.Message;
        }
    }

    private static int Health(Terminal terminal, string file, bool json)
    {
        GatewayStatus status = GatewayStatus.Read(file);
        string[] problems = [.. status.Problems(DateTimeOffset.UtcNow)];
        if (json)
        {
            Json.Write(terminal.Out, new { status.Process, status.At, status.Parts, Problems = problems });
        }
        else
        {
            var table = new Listing(Column.Text("NAME", 0), Column.Text("KIND", 1, "kind"), Column.Text("SERVICE", 2, "service"), Column.Text("STATE", 0), Column.Number("PASSED", 0, "passed"));
            foreach (GatewayStatus.Part part in status.Parts)
                table.Add(new Cell(part.Name), new Cell(part.Kind), new Cell(part.Service), new Cell(part.Serving ? "serving" : "away"), new Cell(part.Requests.ToString("N0", System.Globalization.CultureInfo.InvariantCulture)));
            terminal.Console.Write(table.Fit(terminal.Width));
            foreach (string problem in problems)
                terminal.WriteSentence(problem);
        }

        return problems.Length == 0 ? ExitCode.Ok : ExitCode.Problems;
    }
}
