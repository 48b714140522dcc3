namespace Ipc.Rpc.Contracts.Tests;

/// <summary>The first version.</summary>
[IpcService("clock.v1")]
public interface IClock
{
    int Read();
}

/// <summary>The second one, beside it: another result under the same method name.</summary>
[IpcService("clock.v2")]
public interface IClockV2
{
    string Read(string zone);
}
