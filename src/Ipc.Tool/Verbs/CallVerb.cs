using System;
using System.CommandLine;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary><c>ipc call SERVER METHOD JSON</c>: a call by descriptor.</summary>
internal static class CallVerb
{
    public static Command Create(Terminal terminal)
    {
        Argument<string> server = CommonOptions.RegionName("The server's name, as 'ipc ls' shows its listener.", "listener");
        var method = new Argument<string>("METHOD") { Description = "The method, with or without its service: Get, quotes.v1/Get." };
        var request = new Argument<string>("JSON") { Description = "The request message. Items of the caller's stream come from the input, one JSON object per line.", DefaultValueFactory = static _ => "{}" };
        var contract = new Option<string[]>("--contract", "-c")
        {
            Description = "A contract: a .proto file, or the assembly of a contract project. May be repeated.",
            HelpName = "FILE",
            Required = true,
        };
        var service = new Option<string?>("--service") { Description = "The service, when several have a method of that name.", HelpName = "SERVICE" };
        var timeout = new Option<double>("--timeout") { Description = "Seconds to wait for the server, and for the answer of a call without streams.", HelpName = "SECONDS", DefaultValueFactory = static _ => 10 };
        CommonOptions.Require(timeout, static value => value is > 0 and <= 1e6, "--timeout is more than 0 seconds.");
        var limit = new Option<int>("--limit") { Description = "Ends after so many items of a stream.", HelpName = "COUNT", DefaultValueFactory = static _ => int.MaxValue };
        var metadata = new Option<string[]>("--metadata", "-m") { Description = "Metadata of the call, key=text. May be repeated.", HelpName = "KEY=TEXT" };
        var compact = new Option<bool>("--compact") { Description = "Print each message on one line, as items of streams always are." };
        var command = new Command("call", "Calls a method of a server: JSON in, JSON out, one line per item of a stream.") { server, method, request, contract, service, timeout, limit, metadata, compact };
        command.SetAction(async (parsed, cancel) =>
        {
            CommonOptions.DirectoryOf(parsed);
            ContractMethod called = ContractLoader.Load(parsed.GetRequiredValue(contract)).FindMethod(parsed.GetRequiredValue(method), parsed.GetValue(service));
            byte[] message = JsonToProto.Encode(called.Request, parsed.GetRequiredValue(request));
            var longest = TimeSpan.FromSeconds(parsed.GetValue(timeout));
            try
            {
                using RpcClient client = RpcClient.Connect(parsed.GetRequiredValue(server), new RpcClientOptions { ConnectTimeout = longest, CallTimeout = longest, AutoReconnect = false }, cancel);
                RpcMetadata sent = Metadata(parsed.GetValue(metadata) ?? []);
                await new DynamicCall(terminal, sent.Count == 0 ? client : client.With(sent), called, parsed.GetValue(limit), parsed.GetValue(compact)).RunAsync(message, cancel);
                return ExitCode.Ok;
            }
            catch (RpcCallException error)
            {
                CallErrors.Print(terminal, error);
                return error.Status == RpcStatus.Cancelled && cancel.IsCancellationRequested ? ExitCode.Interrupted : ExitCode.CallFailed;
            }
            catch (ConnectionRefusedException error)
            {
                terminal.Error.WriteLine($"ipc: the server refused the connection: {Tame.Indented(error.Message)}");
                return ExitCode.CallFailed;
            }
        });
        return command;
    }

    private static RpcMetadata Metadata(string[] pairs)
    {
        var metadata = new RpcMetadata();
        foreach (string pair in pairs)
        {
            int equals = pair.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0)
                throw new ToolException(ExitCode.Usage, $"--metadata is key=text, not \"{pair}\".");
            metadata.Add(pair[..equals], pair[(equals + 1)..]);
        }

        return metadata;
    }
}
