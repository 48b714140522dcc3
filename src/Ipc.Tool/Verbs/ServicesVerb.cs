using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary><c>ipc services SERVER</c>: the contracts of a server, by its own account.</summary>
internal static class ServicesVerb
{
    public static Command Create(Terminal terminal)
    {
        Argument<string> server = CommonOptions.RegionName("The server's name, as 'ipc ls' shows its listener.", "listener");
        var timeout = new Option<double>("--timeout") { Description = "Seconds to wait for the server and for its answer.", HelpName = "SECONDS", DefaultValueFactory = static _ => 10 };
        CommonOptions.Require(timeout, static value => value is > 0 and <= 1e6, "--timeout is more than 0 seconds.");
        Option<bool> json = CommonOptions.Json();
        var command = new Command("services", "Asks a server which contracts it has: their services, with versions, and methods.") { server, timeout, json };
        command.SetAction((parsed, cancel) =>
        {
            CommonOptions.DirectoryOf(parsed);
            var longest = TimeSpan.FromSeconds(parsed.GetValue(timeout));
            try
            {
                using RpcClient client = RpcClient.Connect(parsed.GetRequiredValue(server), new RpcClientOptions { ConnectTimeout = longest, CallTimeout = longest, AutoReconnect = false }, cancel);
                client.Call(s_nobodyHasIt, default, cancel);
                throw new RpcCallException(RpcStatus.Internal, "The server has a method that it cannot have.");
            }
            catch (RpcCallException answer) when (answer.Status == RpcStatus.Unimplemented && ServedContract.Parse(answer.Message) is { } contracts)
            {
                if (parsed.GetValue(json))
                    Json.Write(terminal.Out, contracts);
                else
                    Print(terminal, contracts);
                return Task.FromResult(ExitCode.Ok);
            }
            catch (RpcCallException error)
            {
                CallErrors.Print(terminal, error);
                return Task.FromResult(error.Status == RpcStatus.Cancelled && cancel.IsCancellationRequested ? ExitCode.Interrupted : ExitCode.CallFailed);
            }
        });
        return command;
    }

    /// <summary>No .proto can name such a service. A server answers with what it has instead.</summary>
    private static readonly RpcMethod<RpcEmpty, RpcEmpty> s_nobodyHasIt = new(".ipc", "What", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec);

    private static void Print(Terminal terminal, List<ServedContract> contracts)
    {
        var table = new Listing(Column.Text("SERVICE", 0), Column.Text("METHODS", 0, "methods"));
        foreach (ServedContract contract in contracts)
            table.Add(new Cell(contract.Service), new Cell(contract.Methods is null ? "too many to name" : string.Join(", ", contract.Methods)));
        terminal.Console.Write(table.Fit(terminal.Width));
    }
}
