namespace Ipc.Rpc.Codec.Tests.Contract;

/// <summary>An enum whose zero is not its first value, with an alias and a negative value.</summary>
public enum Color
{
    DarkRed = 1,
    None = 0,
    Crimson = 1,
    Infra = -1,
    Last = int.MaxValue,
}
