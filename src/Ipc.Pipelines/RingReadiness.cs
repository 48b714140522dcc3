using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Pipelines;

/// <summary>Waits at the ring itself: a client, or a server's connection that no loop watches.</summary>
#pragma warning disable CA1001 // a source without a timer holds nothing that has to be freed
internal sealed class RingReadiness : Readiness
#pragma warning restore CA1001
{
    private readonly RingReader _ring;
    private CancellationTokenSource _cancel = new(); // [cancel]

    public RingReadiness(RingReader ring) => _ring = ring;

    public override bool MayLook => true;

    public override void Prepare()
    {
        if (_cancel.IsCancellationRequested)
            Interlocked.Exchange(ref _cancel, new CancellationTokenSource());
        else
            Interlocked.MemoryBarrier(); // [cancel]
    }

    public override async ValueTask<bool> WaitAsync()
    {
        try
        {
            return await _ring.WaitToReadAsync(_cancel.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return true;
        }
    }

    public override bool Wait()
    {
        IpcStatus status = _ring.Wait(Deadline.Never, _cancel.Token);
        if (status == IpcStatus.PeerDied)
            throw new IpcException(status, "The other side's process has died.");
        return status is IpcStatus.Ok or IpcStatus.Cancelled;
    }

    public override void Cancel() => Volatile.Read(ref _cancel).Cancel();

    public override void Close()
    {
        // the end's own Dispose ends its waits
    }
}
