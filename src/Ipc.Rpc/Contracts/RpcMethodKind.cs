namespace Ipc.Rpc;

/// <summary>How many messages a call carries in each direction.</summary>
public enum RpcMethodKind
{
    /// <summary>One request, one response; or none, if the method is one-way.</summary>
    Unary = 0,

    /// <summary>One request, any number of items.</summary>
    ServerStream = 1,

    /// <summary>One request and any number of items after it, one response.</summary>
    ClientStream = 2,

    /// <summary>One request and any number of items after it, any number of items back.</summary>
    Duplex = 3,
}
