using System.Collections.Generic;

namespace Ipc;

/// <summary>Waits of one kind that are to be had again. Any thread; keeps no more than <see cref="Kept"/>.</summary>
internal sealed class AsyncWaitPool<TWait>
    where TWait : AsyncWait, new()
{
    private const int Kept = 256;

    private readonly Stack<TWait> _free = new();

    public TWait Rent()
    {
        lock (_free)
        {
            if (_free.Count != 0)
                return _free.Pop();
        }

        return new TWait();
    }

    public void GiveBack(TWait wait)
    {
        lock (_free)
        {
            if (_free.Count < Kept)
                _free.Push(wait);
        }
    }
}
