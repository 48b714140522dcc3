using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Snippets;

// snippet: once
[IpcService("payments.v1")]
public interface IPayments
{
    [IpcOnce]
    Task<Receipt> PayAsync(Order order, CancellationToken cancellationToken = default); // executed once, however often it is made
}
// end-snippet
