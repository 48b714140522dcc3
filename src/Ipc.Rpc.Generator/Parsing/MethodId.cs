using System.Text;

namespace Ipc.Rpc.Generator;

/// <summary>Twin of RpcMethod.IdOf: FNV-1a, 32 bits, of "service/method".</summary>
internal static class MethodId
{
    public static uint Of(string service, string method)
    {
        uint hash = 2166136261;
        foreach (byte unit in Encoding.UTF8.GetBytes(service + "/" + method))
            hash = unchecked((hash ^ unit) * 16777619);
        return hash;
    }
}
