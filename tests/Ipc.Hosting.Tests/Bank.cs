using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting.Tests;

/// <summary>Counts in its ledger, which is one of the call's.</summary>
public sealed class Bank(Ledger ledger, Books books) : IBank
{
    public int Deposit(int amount) => amount < 0 ? throw new InvalidOperationException("a deposit is not negative") : ledger.Sum += amount;

    public async Task<int> DepositAsync(int amount, CancellationToken cancel = default)
    {
        await Task.Yield();
        return books.Closed.Contains(ledger) ? -1 : Deposit(amount);
    }

    public async IAsyncEnumerable<int> Ticks(int count, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return books.Closed.Contains(ledger) ? -1 : i;
        }
    }

    public Task<Payment> PayAsync(Payment payment) => Task.FromResult(payment);
}
