using System;
using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>The managed half of a figure: what the measuring and the answering process do in a round.</summary>
/// <remarks>Both open, the answering one first, and say so. A round is one <see cref="Answer"/> and one <see cref="Measure"/> with the same count. Between
/// rounds both sleep in the kernel.</remarks>
internal abstract class Subject(int count) : IDisposable
{
    /// <summary>Operations in a round of about 50 ms.</summary>
    public int Count { get; } = count;

    /// <summary>Whether each of the two processes is kept on a core of its own.</summary>
    public virtual bool IsPinned => true;

    /// <summary>Makes the connection. <paramref name="name"/> belongs to this pair of processes.</summary>
    public abstract void Open(string name, Side side);

    /// <summary>Runs one round and returns its value in the figure's unit.</summary>
    public abstract double Measure(int count);

    /// <summary>The other side of the round; nothing where a server answers on threads of its own.</summary>
    public virtual void Answer(int count)
    {
    }

    public abstract void Dispose();

    protected static double Nanoseconds(long began, int count) => Stopwatch.GetElapsedTime(began).TotalNanoseconds / count;

    /// <summary>Where each operation's own time is noted while quantiles are asked for; otherwise null, and operations are timed together.</summary>
    public long[]? Ticks { get; set; }

    /// <summary>Times <paramref name="count"/> operations after one that is not counted: it finds the other side asleep.</summary>
    protected double PerOperation<TOperation>(int count, ref TOperation operation)
        where TOperation : struct, IOperation
    {
        operation.Run();
        if (Ticks is { } ticks)
        {
            for (int i = 0; i < count; i++)
            {
                long start = Stopwatch.GetTimestamp();
                operation.Run();
                ticks[i] = Stopwatch.GetTimestamp() - start;
            }

            return 0;
        }

        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
            operation.Run();
        return Nanoseconds(began, count);
    }
}

/// <summary>One measured operation; a struct, so that the loop around it is compiled for it alone.</summary>
internal interface IOperation
{
    void Run();
}
