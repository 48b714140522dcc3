using Microsoft.Win32.SafeHandles;

namespace Ipc;

/// <summary>Something that a loop of another kind can wait for, beside its files and sockets.</summary>
internal abstract class OsEvent : SafeHandleMinusOneIsInvalid
{
    protected OsEvent() : base(ownsHandle: true)
    {
    }

    /// <summary>Whoever waits for it goes on, until it is reset.</summary>
    public abstract void Set();

    public abstract void Reset();
}
