using System;
using System.CommandLine;
using System.CommandLine.Invocation;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary>The verbs together, and what becomes of their failures: each has a sentence and an exit code.</summary>
internal static class ToolCommand
{
    public static RootCommand Create(Terminal terminal)
    {
        var root = new RootCommand("Looks at the shared-memory regions of Ipc without disturbing them, says what is wrong with them, clears up, moves messages and calls services.")
        {
            CommonOptions.Directory,
            LsVerb.Create(terminal),
            ShowVerb.Create(terminal),
            TopVerb.Create(terminal),
            TailVerb.Create(terminal),
            SendVerb.Create(terminal),
            ReceiveVerb.Create(terminal),
            RecordVerb.Create(terminal),
            ReplayVerb.Create(terminal),
            CleanVerb.Create(terminal),
            RmVerb.Create(terminal),
            DoctorVerb.Create(terminal),
            ProtoVerb.Create(terminal),
            ServicesVerb.Create(terminal),
            CallVerb.Create(terminal),
            EntranceVerb.Create(terminal),
            ExitVerb.Create(terminal),
            GatewayVerb.Create(terminal),
            BenchVerb.Create(terminal),
            CompletionVerb.Create(terminal),
            PeerVerb.Create(terminal),
        };
        return root;
    }

    public static async Task<int> RunAsync(string[] args, Terminal terminal, CancellationToken cancel = default)
    {
        ParseResult parsed = Create(terminal).Parse(args);
        var configuration = new InvocationConfiguration { Output = terminal.Out, Error = terminal.Error, EnableDefaultExceptionHandler = false };
        if (GatewayVerb.LongestEnd(parsed) is { } longest)
            configuration.ProcessTerminationTimeout = longest;
        if (parsed.Errors.Count > 0 && parsed.Action is ParseErrorAction)
        {
            string command = parsed.CommandResult.Command is RootCommand ? "ipc" : "ipc " + parsed.CommandResult.Command.Name;
            foreach (string message in parsed.Errors.Select(static error => error.Message).Distinct())
                await terminal.Error.WriteLineAsync("ipc: " + Tame.Line(message));
            await terminal.Error.WriteLineAsync($"Try '{command} --help'.");
            return ExitCode.Usage;
        }

        try
        {
            return await parsed.InvokeAsync(configuration, cancel);
        }
        catch (OutputClosedException)
        {
            return ExitCode.OutputClosed; // whoever ended the reader knows
        }
        catch (Exception error) when (Describe(error) is { } described)
        {
            await terminal.Error.WriteLineAsync("ipc: " + Tame.Indented(described.Text));
            return described.ExitCode;
        }
    }

    /// <summary>Null for what nobody expected: that is a defect, and its trace is wanted.</summary>
    private static (string Text, int ExitCode)? Describe(Exception error) => error switch
    {
        ToolException tool => (tool.Message, tool.ExitCode),
        IpcException ipc => (ipc.Message, ExitCode.Of(ipc.Status)),
        OperationCanceledException => ("interrupted", ExitCode.Interrupted),
        PlatformNotSupportedException unsupported => (unsupported.Message, ExitCode.Unsupported),
        UnauthorizedAccessException denied => (denied.Message, ExitCode.Denied),
        FileNotFoundException missing => (missing.Message, ExitCode.NotFound),
        DirectoryNotFoundException missing => (missing.Message, ExitCode.NotFound),
        IOException io => (io.Message, ExitCode.Problems),
        _ => null,
    };
}
