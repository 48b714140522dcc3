using System;

namespace Ipc;

/// <summary>Tells when processes end. Used by one thread; <see cref="Wake"/> and <see cref="TryAdd"/> by any.</summary>
internal abstract class ProcessMonitor : IDisposable
{
    /// <summary>Begins to watch; <paramref name="token"/> is what <see cref="Wait"/> reports.</summary>
    /// <param name="process">Whom to watch.</param>
    /// <param name="token">Not zero, not in use.</param>
    /// <param name="gone">The process does not exist any more.</param>
    /// <returns>False when the system does not allow it (or the process is gone): ask the locks instead.</returns>
    public abstract bool TryAdd(in ProcessIdentity process, int token, out bool gone);

    public abstract void Remove(int token);

    /// <summary>Waits until a watched process has ended, a wake or the timeout (milliseconds, -1 never).</summary>
    /// <returns>Its token; 0 for a wake or the timeout.</returns>
    public abstract int Wait(int timeout);

    public abstract void Wake();

    public abstract void Dispose();
}
