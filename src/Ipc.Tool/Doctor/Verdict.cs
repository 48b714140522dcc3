namespace Ipc.Tool;

/// <summary>How well something is.</summary>
internal enum Verdict
{
    Ok,
    Warning,
    Problem,
}
