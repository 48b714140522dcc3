using System;

namespace Ipc.Matrix.Cells;

/// <summary>One end of a transport, in one of the two processes of a group of cells.</summary>
/// <remarks>Both open, the answering one first. A round is one <see cref="Answer"/> and one <see cref="Measure"/> of the same work and number.</remarks>
internal abstract class Link : IDisposable
{
    /// <summary>What is longer than this has failed: whoever waits says so, and the other cells go on.</summary>
    protected static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <param name="name">Belongs to these two processes.</param>
    /// <param name="side">Which of them this is.</param>
    /// <param name="wait">How it waits.</param>
    /// <param name="serializer">Of all cells of these two processes, where a connection has one; otherwise the first cell's.</param>
    public abstract void Open(string name, Side side, WaitMode wait, string serializer);

    /// <summary>What the next rounds carry; called on both sides before the first of them.</summary>
    public virtual void Prepare(Work work)
    {
    }

    /// <summary>One batch that is not counted, and <paramref name="count"/> messages that are.</summary>
    public abstract void Measure(Work work, int count, Round round);

    /// <summary>The other side of the round; nothing where a server answers on threads of its own.</summary>
    public virtual void Answer(Work work, int count)
    {
    }

    public abstract void Dispose();

    protected static void Check(IpcStatus status)
    {
        if (status != IpcStatus.Ok)
            throw new System.IO.IOException($"The other end: {status}.");
    }
}
