using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>
/// tests/soak.sh in its short form: ten seconds of each kind, with IPC_TEST_FULL=1 half a minute. Processes of their own in a directory of their own, which look at what they keep, not at how much they
/// do: they run beside the others.
/// </summary>
[Collection(nameof(SoakTests))]
public sealed class SoakTests
{
    [Theory]
    [InlineData("queue")]
    [InlineData("topic")]
    [InlineData("lock")]
    public void WhatTheyUseIsFlat(string kind) =>
        StormProgramTests.Run("soak.sh", "kills ", ["--kind", kind, .. Switches.LongRuns ? (string[])["--minutes", "3"] : ["--seconds", Switches.FullRuns ? "30" : "10"]]);
}
