using System;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>How a call ended, when not well.</summary>
internal static class CallErrors
{
    public static void Print(Terminal terminal, RpcCallException error)
    {
        string type = string.IsNullOrEmpty(error.RemoteType) ? "" : $" ({Tame.Line(error.RemoteType)})";
        terminal.Error.WriteLine($"ipc: {error.Status}{type}: {Tame.Indented(error.Message)}");
        foreach (RpcDetail detail in error.Details)
            terminal.Error.WriteLine($"     detail {Tame.Line(detail.TypeName)}: {Convert.ToHexString(detail.Bytes.Span)}");
    }
}
