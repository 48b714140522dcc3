namespace Ipc.Rpc;

/// <summary>A method that a server has, by its own account; see <see cref="RpcReflection"/>. Immutable.</summary>
public sealed class RpcMethodInfo
{
    internal RpcMethodInfo(
        string service, string name, RpcMethodKind kind, bool isOneWay, bool isOnce, bool isIdempotent)
    {
        Service = service;
        Name = name;
        Kind = kind;
        IsOneWay = isOneWay;
        IsOnce = isOnce;
        IsIdempotent = isIdempotent;
    }

    /// <summary>The service name, as in <see cref="IpcServiceAttribute"/>.</summary>
    public string Service { get; }

    /// <summary>The method name on the wire.</summary>
    public string Name { get; }

    /// <summary><c>service/method</c>.</summary>
    public string FullName => Service + "/" + Name;

    /// <summary>How many messages travel in each direction.</summary>
    public RpcMethodKind Kind { get; }

    /// <summary>Whether its callers get no answer; see <see cref="IpcOneWayAttribute"/>.</summary>
    public bool IsOneWay { get; }

    /// <summary>Whether a call of it is executed once there; see <see cref="IpcOnceAttribute"/>. A server in C++ has no
    /// such methods.</summary>
    public bool IsOnce { get; }

    /// <summary>Whether calling it twice is known there to come to the same as once; see
    /// <see cref="IpcIdempotentAttribute"/>. A server in C++ does not know it of any method.</summary>
    public bool IsIdempotent { get; }

    /// <inheritdoc/>
    public override string ToString() => FullName;
}
