using System;
using System.Diagnostics;
using System.Threading;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>A synchronous call with 64 bytes there and back.</summary>
internal static class RpcBench
{
    public const string Role = "rpc-echo";
    private const int Bytes = 64;
    private static readonly MessageCodec<byte[]> s_codec = RawCodec.Of(new MessageType("ipc.bench.Bytes"));
    private static readonly RpcMethod<byte[], byte[]> s_echo = new("ipc.bench", "Echo", RpcMethodKind.Unary, s_codec, s_codec);

    /// <summary>The other process: until it is told to end.</summary>
    public static void Serve(string name, Action ready, WaitHandle ended)
    {
        RpcHandler echo = RpcHandler.Unary(s_echo, static request => request);
        using RpcServer server = RpcServer.Start(name, new RpcService("ipc.bench", [echo.Inline()]));
        ready();
        ended.WaitOne();
    }

    /// <summary>The nanoseconds of each call, sorted.</summary>
    public static double[] Measure(string name, TimeSpan duration)
    {
        using PeerProcess peer = PeerProcess.Start(Role, name);
        if (peer.WaitUntilReady() is { } problem)
            throw new ToolException(ExitCode.Problems, problem);
        using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { CallTimeout = TimeSpan.FromSeconds(10), AutoReconnect = false });
        byte[] message = new byte[Bytes]; // zeros: no protobuf, and nobody reads them as such
        double[] times = Sampling.Take(duration, () => client.Call(s_echo, message));
        client.Dispose();
        peer.EndByItself();
        return times;
    }
}
