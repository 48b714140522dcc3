using System.Threading;

namespace Ipc;

/// <summary>For a process that can have no descriptors for it: every process is asked about by its locks, from time to
/// time.</summary>
internal sealed class PlainProcessMonitor : ProcessMonitor
{
    private readonly object _sync = new();
    private bool _woken;

    public override bool TryAdd(in ProcessIdentity process, int token, out bool gone) => gone = false;

    public override void Remove(int token)
    {
    }

    public override int Wait(int timeout)
    {
        lock (_sync)
        {
            if (!_woken)
                Monitor.Wait(_sync, timeout);
            _woken = false;
        }

        return 0;
    }

    public override void Wake()
    {
        lock (_sync)
        {
            _woken = true;
            Monitor.Pulse(_sync);
        }
    }

    public override void Dispose()
    {
    }
}
