using System;
using System.CommandLine;
using System.Threading;
using Ipc.Tcp;

namespace Ipc.Tool;

/// <summary><c>ipc exit NAME ADDRESS</c>: a server of another machine under a name of this one, until it is interrupted.</summary>
internal static class ExitVerb
{
    public static Command Create(Terminal terminal)
    {
        var name = new Argument<string>("NAME") { Description = "The name here." };
        var address = new Argument<string>("ADDRESS") { Description = "Where the server is: tcp:HOST:PORT/NAME." };
        var named = new Option<bool>("--named") { Description = "For named connections, whose messages outlive both machines' programs." };
        var tcp = new TcpArguments();
        var command = new Command("exit", "Gives a server of another machine a name here: programs connect to it as to a server here. Until it is interrupted.") { name, address, named };
        tcp.AddTo(command);
        command.SetAction(async (parsed, cancel) =>
        {
            CommonOptions.DirectoryOf(parsed);
            var options = new TcpExitOptions();
            tcp.Set(options, parsed, isServer: false);
            try
            {
                using TcpExit exit = parsed.GetValue(named)
                    ? TcpExit.OpenNamed(parsed.GetRequiredValue(name), parsed.GetRequiredValue(address), options)
                    : TcpExit.Open(parsed.GetRequiredValue(name), parsed.GetRequiredValue(address), options);
                await terminal.Out.WriteLineAsync($"{exit.Name} leads to {exit.Address}");
                await terminal.Out.FlushAsync(CancellationToken.None); // it serves: an interrupt from here on is its good end
                await EntranceVerb.Interrupted(cancel);
            }
            catch (ArgumentException error)
            {
                throw new ToolException(ExitCode.Usage, error.Message);
            }

            return ExitCode.Ok;
        });
        return command;
    }
}
