using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;

namespace Ipc.Tool.Tests;

/// <summary>One run of the tool, in this process: its exit code and what it printed.</summary>
internal sealed record ToolRun(int ExitCode, string Out, string Error)
{
    public static ToolRun In(RegionDirectory directory, params string[] arguments) => With("", directory.Path, arguments);

    /// <summary>In a window of that width, which nobody types into.</summary>
    public static ToolRun InWindow(int width, RegionDirectory directory, params string[] arguments) => With("", directory.Path, width, arguments);

    public static ToolRun With(string input, string directory, params string[] arguments) => With(input, directory, null, arguments);

    /// <summary>Ended by Ctrl+C as soon as <paramref name="isTime"/>.</summary>
    public static ToolRun Interrupted(Func<bool> isTime, RegionDirectory directory, params string[] arguments)
    {
        using var interrupt = new CancellationTokenSource();
        Task watch = Task.Run(() =>
        {
            SpinWait.SpinUntil(isTime, Watchdog.Patience);
            interrupt.Cancel();
        });
        ToolRun run = With("", directory.Path, null, arguments, interrupt.Token);
        watch.GetAwaiter().GetResult();
        return run;
    }

    private static ToolRun With(string input, string directory, int? width, string[] arguments, CancellationToken interrupt = default)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        using var cancel = CancellationTokenSource.CreateLinkedTokenSource(interrupt);
        cancel.CancelAfter(Watchdog.Patience);
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        try
        {
            var terminal = new Terminal(output, error, new StringReader(input), isInteractive: false, width) { InBytes = new MemoryStream(System.Text.Encoding.UTF8.GetBytes(input)) };
            Task<int> run = ToolCommand.RunAsync([.. arguments, "--dir", directory], terminal, cancel.Token);
            return new ToolRun(run.GetAwaiter().GetResult(), output.ToString(), error.ToString());
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }
    }

    /// <summary>What <c>--json</c> printed.</summary>
    public JsonElement Json => JsonDocument.Parse(Out).RootElement;

    /// <summary>The element of a JSON array with that name.</summary>
    public JsonElement Named(string name) => Json.EnumerateArray().Single(element => element.GetProperty("name").GetString() == name);

    /// <summary>The line of a table whose first columns are these. Here and there columns are separated by single blanks: how wide they are is a matter of what else is there.</summary>
    public string Line(string start) =>
        Lines.FirstOrDefault(line => line.StartsWith(start + " ", StringComparison.Ordinal)) ?? throw new InvalidOperationException($"no line begins with \"{start}\":\n{Out}{Error}");

    /// <summary>What was printed, line by line, with single blanks.</summary>
    public IEnumerable<string> Lines => Out.Split('\n').Select(static line => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
}
