using System;
using System.CommandLine;
using System.Threading;

namespace Ipc.Tool;

/// <summary>The hidden verb of the process that <see cref="PeerProcess"/> starts.</summary>
internal static class PeerVerb
{
    public static Command Create(Terminal terminal)
    {
        var role = new Argument<string>("ROLE");
        var name = new Argument<string>("NAME");
        var command = new Command(PeerProcess.Verb, "The other process of doctor and bench.") { role, name };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            CommonOptions.DirectoryOf(parsed);
            using var ended = new ManualResetEventSlim();
            bool isServer = parsed.GetRequiredValue(role) == RpcBench.Role;
            WatchInput(terminal, isServer ? ended.Set : static () => Environment.Exit(ExitCode.Interrupted));
            string region = parsed.GetRequiredValue(name);
            switch (parsed.GetRequiredValue(role))
            {
                case RingEcho.Role:
                    RingEcho.Serve(region, () => Say(terminal));
                    return ExitCode.Ok;
                case StreamBench.RingRole or StreamBench.QueueRole or StreamBench.TopicRole:
                    StreamBench.Serve(parsed.GetRequiredValue(role), region, () => Say(terminal));
                    return ExitCode.Ok;
                case RpcBench.Role:
                    RpcBench.Serve(region, () => Say(terminal), ended.WaitHandle);
                    return ExitCode.Ok;
                default:
                    return ExitCode.Usage;
            }
        });
        return command;
    }

    private static void Say(Terminal terminal)
    {
        terminal.Out.WriteLine(PeerProcess.Ready);
        terminal.Out.Flush();
    }

    /// <summary>Its input is a pipe from whoever started it: the pipe's end is that process's end, or its wish.</summary>
    private static void WatchInput(Terminal terminal, Action end)
    {
        var watch = new Thread(() =>
        {
            while (terminal.In.Read() >= 0)
                continue;
            end();
        })
        { IsBackground = true };
        watch.Start();
    }
}
