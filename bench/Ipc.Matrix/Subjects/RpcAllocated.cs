using System;
using System.IO;

namespace Ipc.Matrix;

/// <summary>Bytes that a synchronous call leaves for the collector, messages without references on both sides.</summary>
internal sealed class RpcAllocated(Figure figure, int count) : RpcPair(figure, count)
{
    public override double Measure(int count)
    {
        Ticket ticket = new(7, 1.25);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < count; i++)
        {
            if (Bench.Touch(ticket) != ticket)
                throw new InvalidDataException("Another ticket came back.");
        }

        return (double)(GC.GetAllocatedBytesForCurrentThread() - before) / count;
    }
}
