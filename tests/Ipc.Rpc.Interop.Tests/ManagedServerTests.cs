using System;
using System.Globalization;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>A C++ client calls a C# server.</summary>
public sealed class ManagedServerTests : IDisposable
{
    private readonly string _name = Repository.NewName();
    private readonly ManagedTests _tests = new();
    private readonly RpcServer _server;

    public ManagedServerTests() => _server = RpcServer.Start(_name, TestsRpc.Service(_tests));

    public void Dispose() => _server.Dispose();

    /// <summary>Echoes of every size, every status with its text, a deadline, a stream: the peer checks and tells by its exit code.</summary>
    [Fact]
    public void TheNativeClientFindsEverythingAsItShouldBe()
    {
        using var client = Peer.Native("call", _name, "4000");
        client.MustEndWell();
    }

    /// <summary>Both messages are longer than the rings: they travel as loans, written by one language and read in place by the other.</summary>
    [Theory]
    [InlineData(1 << 20)]
    [InlineData(2 << 20)]
    [InlineData(100_000_000)]
    public void LongMessagesOfTheNativeClientArriveWhole(int size)
    {
        using var client = Peer.Native("long", _name, size.ToString(CultureInfo.InvariantCulture));
        client.MustEndWell();
    }

    [Fact]
    public async Task TheDeathOfTheClientCancelsItsCallAndItsStream()
    {
        using var client = Peer.Native("hang", _name);
        await _tests.SleepBegun.Task.WaitAsync(Repository.Watchdog);
        client.Kill();
        await _tests.SleepCancelled.Task.WaitAsync(Repository.Watchdog);
        await _tests.CountEnded.Task.WaitAsync(Repository.Watchdog);
    }
}
