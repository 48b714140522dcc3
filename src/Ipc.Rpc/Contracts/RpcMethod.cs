using System;
using System.Text;

namespace Ipc.Rpc;

/// <summary>What identifies a method on the wire: service, name, kind, and the id made of them.</summary>
public abstract class RpcMethod
{
    /// <summary>What <see cref="OnceId"/> is made of besides the name. No method has it in its name.</summary>
    private const string OnceMark = "!once";

    private protected RpcMethod(
        string service, string name, RpcMethodKind kind, bool isOneWay = false, bool isOnce = false)
    {
        if (isOneWay && kind != RpcMethodKind.Unary)
            throw new ArgumentException("A method with a stream cannot be one-way.", nameof(isOneWay));
        if (isOnce && (isOneWay || kind != RpcMethodKind.Unary))
            throw new ArgumentException("A method without one answer cannot be executed once.", nameof(isOnce));
        Service = service ?? throw new ArgumentNullException(nameof(service));
        Name = name ?? throw new ArgumentNullException(nameof(name));
        Kind = kind;
        IsOneWay = isOneWay;
        IsOnce = isOnce;
        FullName = service + "/" + name;
        Id = IdOf(FullName);
        RequestId = isOnce ? OnceId : Id;
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

    /// <summary>Whether a call of it is executed once; see <see cref="IpcOnceAttribute"/>.</summary>
    public bool IsOnce { get; }

    /// <summary>Whether calling it twice is known to come to the same as once.</summary>
    internal virtual bool IsKnownIdempotent => false;

    /// <summary>The number in requests that are to be executed once. A peer that does not know of that has no method
    /// with this number, and refuses the call.</summary>
    internal uint OnceId => IdOf(FullName + OnceMark);

    /// <summary>The number in this side's requests.</summary>
    internal uint RequestId { get; }

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
