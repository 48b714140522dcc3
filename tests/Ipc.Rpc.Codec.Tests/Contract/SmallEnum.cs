namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>An enum of one byte, without a zero of its own.</summary>
public enum SmallEnum : byte
{
    One = 1,
    Max = 255,
}
