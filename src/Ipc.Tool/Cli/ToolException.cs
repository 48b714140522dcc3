using System;

namespace Ipc.Tool;

/// <summary>Ends the verb with a text for its user and an exit code.</summary>
internal sealed class ToolException(int exitCode, string message) : Exception(message)
{
    public int ExitCode { get; } = exitCode;
}
