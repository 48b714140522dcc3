using System;

namespace Ipc.Matrix.Cells;

/// <summary>The names of the ways to wait.</summary>
internal static class Waits
{
    public static WaitMode Of(string name) => name switch
    {
        "spin" => WaitMode.Spin,
        "adaptive" => WaitMode.Adaptive,
        "block" => WaitMode.Block,
        _ => throw new FormatException($"Nobody waits by '{name}'."),
    };
}
