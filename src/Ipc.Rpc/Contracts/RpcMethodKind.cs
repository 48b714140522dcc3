namespace Ipc.Rpc;

/// <summary>How many messages a call carries in each direction.</summary>
public enum RpcMethodKind
{
    /// <summary>One request, one response.</summary>
    Unary = 0,

    /// <summary>One request, any number of items.</summary>
    ServerStream = 1,

    /// <summary>Reserved: any number of items, one response.</summary>
    ClientStream = 2,

    /// <summary>Reserved: any number of items both ways.</summary>
    Duplex = 3,
}
