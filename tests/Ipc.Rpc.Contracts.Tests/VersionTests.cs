using Xunit;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Two versions of a contract are two services of one server.</summary>
public sealed class VersionTests
{
    [Fact]
    public void OneServerServesBothVersions()
    {
        var clock = new Clock();
        using var server = new OwnServer(ClockRpc.Service(clock), ClockV2Rpc.Service(clock));
        Assert.Equal(12, ClockRpc.Client(server.Client).Read());
        Assert.Equal("12 in Rome", ClockV2Rpc.Client(server.Client).Read("Rome"));
    }

    [Fact]
    public void AVersionThatTheServerLacksIsNamedByWhatItHas()
    {
        using var server = new OwnServer(ClockRpc.Service(new Clock()));
        var error = Assert.Throws<RpcCallException>(() => ClockV2Rpc.Client(server.Client).Read("Rome"));
        Assert.Equal(RpcStatus.Unimplemented, error.Status);
        Assert.Contains("clock.v1", error.Message, System.StringComparison.Ordinal);
    }

    private sealed class Clock : IClock, IClockV2
    {
        public int Read() => 12;

        public string Read(string zone) => Read() + " in " + zone;
    }
}
