using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Lets so many calls run at once; the others wait in line.</summary>
internal sealed class Turnstile
{
    private readonly Queue<HeldCall> _line = new();
    private int _free;

    public Turnstile(int limit) => _free = limit;

    /// <summary>Passes if nobody is in line and there is room.</summary>
    public bool TryPass()
    {
        lock (_line)
        {
            if (_free <= 0 || _line.Count != 0)
                return false;

            _free--;
            return true;
        }
    }

    /// <summary>Passes, or gets in line: then <see cref="Leave"/> hands it out.</summary>
    public bool Pass(HeldCall call)
    {
        lock (_line)
        {
            if (_free > 0 && _line.Count == 0)
            {
                _free--;
                return true;
            }

            _line.Enqueue(call);
            return false;
        }
    }

    /// <summary>One call is over, or waits for a callback.</summary>
    /// <returns>The next in line, which has passed by this; <see langword="null"/> if there is none.</returns>
    public HeldCall? Leave()
    {
        lock (_line)
        {
            if (++_free <= 0 || _line.Count == 0)
                return null;

            _free--;
            return _line.Dequeue();
        }
    }

    /// <summary>Takes the calls of a connection that is over out of the line.</summary>
    public void Forget(Callee callee, List<HeldCall> into)
    {
        lock (_line)
        {
            for (int left = _line.Count; left != 0; left--)
            {
                HeldCall call = _line.Dequeue();
                if (ReferenceEquals(call.Call.Callee, callee))
                    into.Add(call);
                else
                    _line.Enqueue(call);
            }
        }
    }

    /// <summary>A call that had left for a callback goes on, whether there is room or not.</summary>
    public void Return()
    {
        lock (_line)
            _free--;
    }
}
