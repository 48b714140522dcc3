using System;

namespace Ipc;

/// <summary>Tells the garbage collector of memory that goes together with this object.</summary>
internal sealed class CollectorPressure
{
    private readonly long _bytes;

    public CollectorPressure(long bytes)
    {
        _bytes = bytes;
        GC.AddMemoryPressure(bytes);
    }

    ~CollectorPressure() => GC.RemoveMemoryPressure(_bytes);
}
