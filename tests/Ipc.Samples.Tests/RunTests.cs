using System.Collections.Generic;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Samples.Tests;

/// <summary>
/// The samples of queue, topic and calls as their READMEs say, in every pairing of languages: nothing may be lost, nothing repeated unmarked, nothing out of
/// order. They judge themselves: their exit codes are the result.
/// </summary>
public class RunTests
{
    [Theory]
    [InlineData("WorkQueue", "src", "SUBMIT", "cs")]
    [InlineData("WorkQueue", "src", "SUBMIT", "cpp")]
    [InlineData("FileCopy", "8", "RECEIVE", "cs")]
    [InlineData("FileCopy", "8", "RECEIVE", "cpp")]
    [InlineData("Chat", "2000", "", "")]
    [InlineData("Upgrade", "8", "", "")]
    [InlineData("Ticker", "50000", "WRITER", "cpp")]
    [InlineData("Ticker", "50000", "WRITER", "cs")]
    [InlineData("Mixed", "50000", "", "")]
    [InlineData("Portfolio", "", "", "")]
    [InlineData("Farm", "100000000", "", "")]
    [InlineData("Sysmon/run-many", "6", "", "")]
    public void ItDoesWhatItsReadmeSays(string sample, string argument, string variable, string value)
    {
        Assert.SkipUnless(Repository.IsRelease, "the scripts of the samples run what was built in Release");
        using var regions = new RegionDirectory();
        Dictionary<string, string> environment = Repository.In(regions);
        if (variable.Length != 0)
            environment[variable] = value;
        string script = Repository.PathOf(sample.Contains('/', System.StringComparison.Ordinal) ? $"samples/{sample}.sh" : $"samples/{sample}/run.sh");
        string[] words = argument.Length == 0 ? [script] : [script, argument == "src" ? Repository.PathOf(argument) : argument];
        using var run = new OtherProcess(false, environment, words);
        string said = run.Rest();
        int code = run.WaitForExit();
        Assert.SkipWhen(code == 77, said); // something is not installed
        Assert.True(code == 0, said);
    }
}
