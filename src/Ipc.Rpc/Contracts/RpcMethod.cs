using System;
using System.Text;

namespace Ipc.Rpc;

/// <summary>What identifies a method on the wire: service, name, kind, and the id made of them.</summary>
public abstract class RpcMethod
{
    private protected RpcMethod(string service, string name, RpcMethodKind kind, bool isOneWay = false)
    {
        if (isOneWay && kind != RpcMethodKind.Unary)
            throw new ArgumentException("A method with a stream cannot be one-way.", nameof(isOneWay));
        Service = service ?? throw new ArgumentNullException(nameof(service));
        Name = name ?? throw new ArgumentNullException(nameof(name));
        Kind = kind;
        IsOneWay = isOneWay;
        FullName = service + "/" + name;
        Id = IdOf(FullName);
    }

    /// <summary>The service name, as in <see cref="IpcServiceAttribute"/>.</summary>
    public string Service { get; }

    /// <summary>The method name on the wire.</summary>
    public string Name { get; }

    /// <summary><c>service/method</c>, the text that <see cref="Id"/> is computed from.</summary>
    public string FullName { get; }

    /// <summary>The method's number in a frame: FNV-1a, 32 bits, of the UTF-8 bytes of
    /// <see cref="FullName"/>.</summary>
    public uint Id { get; }

    /// <summary>How many messages travel in each direction.</summary>
    public RpcMethodKind Kind { get; }

    /// <summary>Whether its callers get no answer; see <see cref="IpcOneWayAttribute"/>.</summary>
    public bool IsOneWay { get; }

    /// <summary>Computes the id of a <c>service/method</c> name.</summary>
    public static uint IdOf(string fullName)
    {
        if (fullName is null)
            throw new ArgumentNullException(nameof(fullName));

        uint hash = 2166136261;
        foreach (byte unit in Encoding.UTF8.GetBytes(fullName))
            hash = (hash ^ unit) * 16777619;
        return hash;
    }

    /// <inheritdoc/>
    public override string ToString() => FullName;
}
