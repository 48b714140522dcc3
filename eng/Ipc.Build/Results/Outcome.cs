namespace Ipc.Build.Results;

internal enum Outcome
{
    Passed,
    Failed,
    Skipped,
}
