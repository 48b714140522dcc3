using System.Threading;

namespace Ipc.Rpc;

// (Ipc.Rpc.RabbitMq compiles this file, too.)

/// <summary>Its token fires at a deadline, never before it, and with the tokens of others.</summary>
/// <remarks>What was registered with its token and throws at the deadline is not heard of (<see cref="Alarm"/>).
/// </remarks>
internal sealed class DeadlineSource : CancellationTokenSource
{
    private readonly CancellationTokenRegistration[] _others;
    private Alarm? _alarm; // [once]

    public DeadlineSource(Deadline deadline, params CancellationToken[] others)
    {
        _others = others.Length == 0 ? [] : new CancellationTokenRegistration[others.Length];
        try
        {
            for (int i = 0; i < others.Length; i++)
            {
                _others[i] = CleanRegistration.Make(
                    static state => ((DeadlineSource)state!).Cancel(), this, others[i]);
            }

            _alarm = Alarm.Set(this, deadline);
        }
        catch
        {
            Unregister(); // nobody else can: who wanted it does not get it
            throw;
        }
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Unregister();
            Interlocked.Exchange(ref _alarm, null)?.Release(); // [once]
        }

        base.Dispose(disposing);
    }

    /// <summary>Waits until one that is about to cancel this has done so.</summary>
    private void Unregister()
    {
        foreach (CancellationTokenRegistration other in _others)
            other.Dispose();
    }
}
