using System.Collections.Concurrent;
using System.Threading.Tasks;

namespace Ipc.Hosting.Tests;

/// <summary>What all scopes have in common: it sees which ledgers were made and which disposed.</summary>
public sealed class Books
{
    public ConcurrentQueue<Ledger> Made { get; } = new();

    public ConcurrentQueue<Ledger> Closed { get; } = new();

    /// <summary>Lets a disposal that waits go on.</summary>
    public TaskCompletionSource MayClose { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public bool ClosesSlowly { get; set; }
}
