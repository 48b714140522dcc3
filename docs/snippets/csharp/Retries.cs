using System.Threading;
using Ipc.Rpc;

namespace Snippets;

// snippet: retries
/// <summary>Asks once more when the server has just gone: only for methods that may be called twice.</summary>
internal sealed class Retries(RpcCaller next) : RpcForwardingCaller(next)
{
    public override TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancellationToken = default)
    {
        try
        {
            return Next.Call(method, in request, cancellationToken);
        }
        catch (RpcCallException e) when (e.Status == RpcStatus.Unavailable && method.Name == "Get")
        {
            return Next.Call(method, in request, cancellationToken);
        }
    }
}
// end-snippet
