using System;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>How a call ended, when not well.</summary>
internal static class CallErrors
{
    public static void Print(Terminal terminal, RpcException error)
    {
        string type = string.IsNullOrEmpty(error.RemoteType) ? "" : $" ({error.RemoteType})";
        terminal.Error.WriteLine($"ipc: {error.Status}{type}: {error.Message}");
        foreach (RpcDetail detail in error.Details)
            terminal.Error.WriteLine($"     detail {detail.TypeName}: {Convert.ToHexString(detail.Bytes.Span)}");
    }
}
