using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Hosting.Tests;

/// <summary>A contract whose implementation has state of the call.</summary>
[IpcService("hosting.bank.v1")]
public interface IBank
{
    int Deposit(int amount);

    Task<int> DepositAsync(int amount, CancellationToken cancel = default);

    IAsyncEnumerable<int> Ticks(int count, CancellationToken cancel = default);

    Task<Payment> PayAsync(Payment payment);
}
