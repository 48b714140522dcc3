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

    public static Command Create(Terminal terminal)
    {
        var file = new Argument<string>("FILE") { Description = "What it does, as JSON: \"broker\", \"exports\", \"imports\". When the file changes, so does the gateway." };
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
        run.Apply(isFirst: true);
        try
        {
            while (true)
            {
                if (status is not null)
                    run.Look().Write(status);
                await Task.Delay(s_look, cancel);
                run.Apply(isFirst: false);
            }
        }
        catch (OperationCanceledException)
        {
            return ExitCode.Ok; // a service's good end
        }
        finally
        {
            if (status is not null)
                File.Delete(status);
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
            var table = new Listing(Column.Text("NAME", 0), Column.Text("KIND", 1, "kind"), Column.Text("SERVICE", 2, "service"), Column.Text("STATE", 0), Column.Number("CALLS", 0, "calls"));
            foreach (GatewayStatus.Part part in status.Parts)
                table.Add(new Cell(part.Name), new Cell(part.Kind), new Cell(part.Service), new Cell(part.Serving ? "serving" : "away"), new Cell(part.Requests.ToString("N0", System.Globalization.CultureInfo.InvariantCulture)));
            terminal.Console.Write(table.Fit(terminal.Width));
            foreach (string problem in problems)
                terminal.WriteSentence(problem);
        }

        return problems.Length == 0 ? ExitCode.Ok : ExitCode.Problems;
    }
}
