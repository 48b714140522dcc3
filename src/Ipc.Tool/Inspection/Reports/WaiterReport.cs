namespace Ipc.Tool;

/// <summary>A word on which somebody may sleep; docs/wire-format.md section 3.</summary>
/// <param name="Sleeping">Somebody sleeps, or is about to.</param>
/// <param name="Signals">How often it was signalled, modulo 2^31.</param>
/// <param name="FenceRequired">Publishers fence: a sleeper without membarrier was here, or somebody sleeps often.</param>
/// <param name="Wanted">A ring's writer wants room.</param>
internal sealed record WaiterReport(bool Sleeping, uint Signals, bool FenceRequired, bool? Wanted)
{
    public static WaiterReport Of(in WaiterWords words, bool isSpace = false) =>
        new((words.Word & WaiterWords.SleeperBit) != 0, words.Word >> 1, (words.FenceRequired & WaiterWords.Fence) != 0, isSpace ? words.Wanted != 0 : null);

    public override string ToString() =>
        $"{(Sleeping ? "somebody sleeps" : "nobody sleeps")}, {Signals} signals{(FenceRequired ? ", fences" : "")}{(Wanted == true ? ", room wanted" : "")}";
}
