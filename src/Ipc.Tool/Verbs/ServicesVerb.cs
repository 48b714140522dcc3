using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary><c>ipc services [SERVER]</c>: the contracts of a server, by its own account; without one, of all servers of calls that live.</summary>
/// <remarks>Which listeners have calls they say themselves (docs/wire-format.md, Protocol): nobody else is asked, for a program that accepts connections for other purposes
/// would get a message that it does not know. All are asked at a time, so that one that hangs holds up the others no longer than its own row.</remarks>
internal static class ServicesVerb
{
    public static Command Create(Terminal terminal)
    {
        Argument<string> server = CommonOptions.RegionName("The server's name, as 'ipc ls' shows its listener; all servers of calls if there is none.", "listener");
        server.Arity = ArgumentArity.ZeroOrOne;
        var timeout = new Option<double>("--timeout") { Description = "Seconds to wait for a server and for its answer.", HelpName = "SECONDS", DefaultValueFactory = static _ => 10 };
        CommonOptions.Require(timeout, static value => value is > 0 and <= 1e6, "--timeout is more than 0 seconds.");
        Option<bool> json = CommonOptions.Json();
        var command = new Command("services", "Asks a server, or all, which contracts it has: their services, with versions, and methods.") { server, timeout, json };
        command.SetAction(async (parsed, cancel) =>
        {
            var longest = TimeSpan.FromSeconds(parsed.GetValue(timeout));
            if (parsed.GetValue(server) is not { Length: > 0 } name)
                return await AllAsync(terminal, CommonOptions.PlacesOf(parsed), longest, parsed.GetValue(json), cancel);
            CommonOptions.DirectoryOf(parsed);
            try
            {
                List<ServedContract> contracts = await AskAsync(name, longest, cancel);
                if (parsed.GetValue(json))
                    Json.Write(terminal.Out, contracts);
                else
                    Print(terminal, contracts);
                return ExitCode.Ok;
            }
            catch (RpcCallException error)
            {
                CallErrors.Print(terminal, error);
                return error.Status == RpcStatus.Cancelled && cancel.IsCancellationRequested ? ExitCode.Interrupted : ExitCode.CallFailed;
            }
        });
        return command;
    }

    /// <summary>No .proto can name such a service. A server of any version answers with what it has instead.</summary>
    private static readonly RpcMethod<RpcEmpty, RpcEmpty> s_nobodyHasIt = new(".ipc", "What", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec);

    private static async Task<List<ServedContract>> AskAsync(string server, TimeSpan longest, CancellationToken cancel)
    {
        using RpcClient client = await RpcClient.ConnectAsync(server, new RpcClientOptions { ConnectTimeout = longest, CallTimeout = longest, AutoReconnect = false }, cancel);
        try
        {
            return ServedContract.Of(await RpcReflection.ListAsync(client, cancel));
        }
        catch (RpcCallException answer) when (answer.Status is not (RpcStatus.Unavailable or RpcStatus.DeadlineExceeded or RpcStatus.Cancelled))
        {
            // it is of an earlier version, or does not list them to everybody: what it says to whoever calls what there is not, it says still
        }

        try
        {
            await client.CallAsync(s_nobodyHasIt, default, cancel);
            throw new RpcCallException(RpcStatus.Internal, "The server has a method that it cannot have.");
        }
        catch (RpcCallException answer) when (answer.Status == RpcStatus.Unimplemented && ServedContract.Parse(answer.Message) is { } contracts)
        {
            return contracts;
        }
    }

    private static async Task<int> AllAsync(Terminal terminal, (string Directory, string? Machine) places, TimeSpan longest, bool json, CancellationToken cancel)
    {
        IEnumerable<string> names = LiveConnections.WithAll(places, InspectionDepth.Quick)
            .Where(static report => report is { State: RegionState.Live, Listener: { SpeaksCalls: true, Server: "open" } } && RegionNames.IsPossible(report.Name))
            .Select(static report => report.Name);
        ServerContracts[] all = await Task.WhenAll(names.Order(StringComparer.Ordinal).Select(name => ServerAsync(name, longest, cancel)));
        if (cancel.IsCancellationRequested)
            return ExitCode.Interrupted;
        if (json)
            Json.Write(terminal.Out, all);
        else if (all.Length == 0)
            terminal.Out.WriteLine($"no servers of calls in {Tame.Line(places.Directory)}");
        else
            Print(terminal, all);
        return all.Any(static server => server.Error is not null) ? ExitCode.Problems : ExitCode.Ok;
    }

    private static async Task<ServerContracts> ServerAsync(string name, TimeSpan longest, CancellationToken cancel)
    {
        try
        {
            return new ServerContracts(name, await AskAsync(name, longest, cancel), null);
        }
        catch (RpcCallException error)
        {
            return new ServerContracts(name, [], $"{error.Status}: {error.Message}");
        }
    }

    private static void Print(Terminal terminal, List<ServedContract> contracts)
    {
        var table = new Listing(Column.Text("SERVICE", 0), Column.Text("METHODS", 0, "methods"));
        foreach (ServedContract contract in contracts)
            table.Add(new Cell(contract.Service), Methods(contract));
        terminal.Console.Write(table.Fit(terminal.Width));
    }

    private static void Print(Terminal terminal, ServerContracts[] servers)
    {
        var table = new Listing(Column.Text("SERVER", 0), Column.Text("SERVICE", 0), Column.Text("METHODS", 0, "methods"));
        foreach (ServerContracts server in servers)
        {
            foreach (ServedContract contract in server.Services)
                table.Add(new Cell(server.Server), new Cell(contract.Service), Methods(contract));
            if (server.Services.Count == 0)
                table.Add(new Cell(server.Server), new Cell(server.Error is null ? "none" : "?"), new Cell(""));
        }

        terminal.Console.Write(table.Fit(terminal.Width));
        foreach (ServerContracts server in servers.Where(static server => server.Error is not null))
            terminal.WriteSentence($"{server.Server}: {server.Error}");
    }

    private static Cell Methods(ServedContract contract) => new(contract.Methods is null ? "too many to name" : string.Join(", ", contract.Methods));
}
