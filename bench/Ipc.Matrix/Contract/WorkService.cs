using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>The server's side of <see cref="IWork"/>: counts.</summary>
internal sealed class WorkService : IWork
{
    private long _taken;

    public long Taken => Volatile.Read(ref _taken);

    public ValueTask PutAsync(Blob request)
    {
        Interlocked.Increment(ref _taken);
        return default;
    }
}
