using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc;

namespace Ipc.Tool;

/// <summary>A contract that a server has: the name of the service, which has its version, and its methods; null when the server has too many to name them. And what the
/// server says about these, in their order; null when it is of an earlier version, which has no more than their names.</summary>
internal sealed record ServedContract(string Service, IReadOnlyList<string>? Methods, IReadOnlyList<ServedMethod>? Details = null)
{
    /// <summary>What servers list (docs/rpc-protocol.md, section 8).</summary>
    public static List<ServedContract> Of(IReadOnlyList<RpcMethodInfo> methods) =>
    [
        .. methods.GroupBy(static method => method.Service).Select(static service => new ServedContract(
            service.Key,
            [.. service.Select(static method => method.Name)],
            [.. service.Select(static method => new ServedMethod(method.Name, method.Kind, method.IsOneWay, method.IsOnce, method.IsIdempotent))])),
    ];

    /// <summary>What servers answer to a call of a method that they do not have (docs/rpc-protocol.md, status 12); null if <paramref name="text"/> is no such answer.</summary>
    public static List<ServedContract>? Parse(string text)
    {
        const string Begin = " has no such method. It has ", End = ". Do both sides have the same contract?", Many = "methods of the services ", None = "none at all";
        int begin = text.IndexOf(Begin, StringComparison.Ordinal), end = text.LastIndexOf(End, StringComparison.Ordinal);
        if (begin < 0 || end < begin + Begin.Length)
            return null;
        string list = text[(begin + Begin.Length)..end];
        if (list == None)
            return [];
        if (list.StartsWith(Many, StringComparison.Ordinal))
            return [.. list[Many.Length..].Split(", ").Select(static service => new ServedContract(service, null))];
        string[][] services = [.. list.Split("; ").Select(static service => service.Split(": "))];
        return services.All(static service => service.Length == 2) ? [.. services.Select(static service => new ServedContract(service[0], service[1].Split(", ")))] : null;
    }
}
