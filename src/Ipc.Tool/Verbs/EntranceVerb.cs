using System;
using System.CommandLine;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp;

namespace Ipc.Tool;

/// <summary><c>ipc entrance NAME...</c>: lets clients of other machines reach servers of this one, until it is interrupted.</summary>
internal static class EntranceVerb
{
    public static Command Create(Terminal terminal)
    {
        var names = new Argument<string[]>("NAME") { Description = "The servers that may be reached: names of listeners.", Arity = ArgumentArity.OneOrMore };
        var listen = new Option<string>("--listen") { Description = "Where: an address of this machine and a port. 0.0.0.0: all addresses.", HelpName = "ADDRESS:PORT", DefaultValueFactory = static _ => "127.0.0.1:0" };
        var tcp = new TcpArguments();
        var command = new Command("entrance", "Lets clients of other machines reach servers of this one over TCP, until it is interrupted.") { names, listen };
        tcp.AddTo(command);
        command.SetAction(async (parsed, cancel) =>
        {
            CommonOptions.DirectoryOf(parsed);
            string[] allowed = parsed.GetRequiredValue(names);
            if (!IPEndPoint.TryParse(parsed.GetRequiredValue(listen), out IPEndPoint? endpoint))
                throw new ToolException(ExitCode.Usage, $"--listen is an address and a port, such as 0.0.0.0:5000, not \"{parsed.GetValue(listen)}\".");
            var options = new TcpEntranceOptions { Endpoint = endpoint, Allows = allowed.Contains };
            tcp.Set(options, parsed, isServer: true);
            try
            {
                using TcpEntrance entrance = TcpEntrance.Open(options);
                await terminal.Out.WriteLineAsync($"listening at {entrance.Endpoint} for {string.Join(", ", allowed)}");
                await terminal.Out.FlushAsync(CancellationToken.None); // it serves: an interrupt from here on is its good end
                await Interrupted(cancel);
            }
            catch (SocketException error)
            {
                throw new ToolException(ExitCode.Problems, $"{endpoint}: {error.Message}");
            }

            return ExitCode.Ok;
        });
        return command;
    }

    /// <summary>A service's good end.</summary>
    public static async Task Interrupted(CancellationToken cancel)
    {
        try
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, cancel);
        }
        catch (OperationCanceledException)
        {
            // that is what it waits for
        }
    }
}
