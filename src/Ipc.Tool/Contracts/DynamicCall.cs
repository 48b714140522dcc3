using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>One call of a method that is known by its descriptor only.</summary>
internal sealed class DynamicCall(Terminal terminal, RpcCaller caller, ContractMethod method, int limit, bool compact)
{
    private static readonly JsonSerializerOptions s_line = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private static readonly JsonSerializerOptions s_indented = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, WriteIndented = true };

    public async Task RunAsync(byte[] request, CancellationToken cancel)
    {
        MessageCodec<byte[]> input = RawCodec.Of(method.Request), output = RawCodec.Of(method.Output);
        if (method.IsOneWay)
        {
            caller.Notify(new RpcMethod<byte[], RpcEmpty>(method.Service, method.Name, RpcMethodKind.Unary, input, RpcEmpty.Codec, isOneWay: true), request);
        }
        else if (method.HasInput)
        {
            RpcMethodKind kind = method.IsOutputStream ? RpcMethodKind.Duplex : RpcMethodKind.ClientStream;
            var stream = new RpcStreamMethod<byte[], byte[], byte[]>(method.Service, method.Name, kind, input, RawCodec.Of(method.Input), output);
            if (method.IsOutputStream)
                await PrintAllAsync(caller.Duplex(stream, request, ItemsAsync(cancel), cancel));
            else
                Print(await caller.ClientStream(stream, request, ItemsAsync(cancel), cancel), compact);
        }
        else if (method.HasProgress)
        {
            var progress = new RpcProgressMethod<byte[], byte[], byte[]>(method.Service, method.Name, input, output, RawCodec.Of(method.Progress));
            Print(await caller.CallAsync(progress, request, new Reports(this), cancel), compact);
        }
        else if (method.IsOutputStream)
        {
            await PrintAllAsync(caller.Stream(new RpcMethod<byte[], byte[]>(method.Service, method.Name, RpcMethodKind.ServerStream, input, output), request, cancel));
        }
        else
        {
            Print(await caller.CallAsync(new RpcMethod<byte[], byte[]>(method.Service, method.Name, RpcMethodKind.Unary, input, output), request, cancel), compact);
        }
    }

    private async Task PrintAllAsync(IAsyncEnumerable<byte[]> items)
    {
        int left = limit;
        if (left <= 0)
            return;
        await foreach (byte[] item in items)
        {
            Print(item, line: true);
            if (--left == 0)
                return;
        }
    }

    /// <summary>The caller's stream: a JSON object per line of the input.</summary>
    private async IAsyncEnumerable<byte[]> ItemsAsync([EnumeratorCancellation] CancellationToken cancel)
    {
        await Task.Yield();
        while (await terminal.In.ReadLineAsync(cancel) is { } line)
        {
            if (!string.IsNullOrWhiteSpace(line))
                yield return JsonToProto.Encode(method.Input, line);
        }
    }

    private void Print(byte[] message, bool line)
    {
        terminal.Out.WriteLine(Text(method.Output, message, line));
        terminal.Out.Flush();
    }

    private static string Text(MessageType type, byte[] message, bool line)
    {
        JsonNode? json = ProtoToJson.Decode(type, message);
        return json is not null
            ? Tame.Json(json.ToJsonString(line ? s_line : s_indented))
            : throw new ToolException(ExitCode.CallFailed, $"the answer is no {type.FullName} of this contract: {Convert.ToHexString(message)}");
    }

    /// <summary>Progress is for whoever watches: it goes to the error output, and the answer alone to the output.</summary>
    private sealed class Reports(DynamicCall call) : IProgress<byte[]>
    {
        public void Report(byte[] value) => call.ReportProgress(value);
    }

    private void ReportProgress(byte[] value) => terminal.Error.WriteLine("progress " + Text(method.Progress, value, line: true));
}
