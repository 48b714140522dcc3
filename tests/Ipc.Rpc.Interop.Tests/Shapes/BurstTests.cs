using System;
using System.Globalization;
using System.IO;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>What one long answer takes in shared memory is given back while short ones follow, by servers of both languages.</summary>
[Collection(nameof(BurstTests))]
public sealed class BurstTests
{
    private const long Megabyte = 1 << 20, Budget = 256 * Megabyte;

    public static TheoryData<Language> Servers => Calls.Servers;

    [Theory]
    [MemberData(nameof(Servers))]
    public void AfterALongAnswerAConnectionBecomesSmallByItself(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RpcClient client = RpcClient.Connect(server.Name, new RpcClientOptions { LoanBudget = Budget });
        ITests tests = TestsRpc.Client(client);
        Blob small = new() { Data = Pattern.Of(1, 1) };
        Assert.Equal(small.Data, tests.Echo(small).Data);
        long before = Present();
        Blob large = new() { Data = Pattern.Of(2, 100 * (int)Megabyte) };
        Assert.Equal(large.Data.Length, tests.Echo(large).Data.Length);
        Assert.InRange(Present() - before, 200 * Megabyte, long.MaxValue); // both ways
        for (int i = 0; i < 10_000; i++)
            tests.Echo(small);
        Assert.InRange(Present() - before, 0, 6 * Megabyte); // up to one of each direction is kept, and more of the rings has been used; a C# server has the same in this process
        Assert.Equal(large.Data.Length, tests.Echo(large).Data.Length); // and it grows again
    }

    /// <summary>How much memory the client's region has that this process has touched. The region has no name any more.</summary>
    private static long Present()
    {
        (long present, bool isRegion, bool isOurs) = (0, false, false);
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            if (line.Contains("/#", StringComparison.Ordinal) && line.EndsWith(" (deleted)", StringComparison.Ordinal))
                isRegion = true;
            else if (line.StartsWith("Size:", StringComparison.Ordinal))
                (isOurs, isRegion) = (isRegion && BytesOf(line) >= 2 * Budget, false);
            else if (isOurs && line.StartsWith("Rss:", StringComparison.Ordinal))
                present += BytesOf(line);
        }

        return present;
    }

    private static long BytesOf(string line) => 1024 * long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);
}

/// <summary>It counts the memory of all connections of this process, so nothing may run beside it.</summary>
[CollectionDefinition(nameof(BurstTests), DisableParallelization = true)]
public sealed class BurstCollection;
