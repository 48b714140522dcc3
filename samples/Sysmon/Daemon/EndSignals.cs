using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Sysmon;

/// <summary>SIGTERM and SIGINT as a wish that a daemon waits for: it leaves in good order, and not the runtime's way.</summary>
internal sealed class EndSignals : IDisposable
{
    private readonly ManualResetEventSlim _ended = new();
    private readonly PosixSignalRegistration _terminate, _interrupt;

    public EndSignals()
    {
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
    }

    public void Wait() => _ended.Wait();

    public void Dispose()
    {
        _terminate.Dispose();
        _interrupt.Dispose();
        _ended.Dispose();
    }

    private void End(PosixSignalContext signal)
    {
        signal.Cancel = true;
        _ended.Set();
    }
}
