using System;

namespace Ipc.Testing.Drive;

/// <summary>What the environment asks for.</summary>
public static class Switches
{
    /// <summary>IPC_TEST_FULL=1, as `./test.sh --full` sets it: what the default run has a short form of.</summary>
    public static bool FullRuns { get; } = Environment.GetEnvironmentVariable("IPC_TEST_FULL") == "1" || Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1";

    /// <summary>IPC_TEST_LONG=1: the same tests, longer.</summary>
    public static bool LongRuns { get; } = Environment.GetEnvironmentVariable("IPC_TEST_LONG") == "1";
}
