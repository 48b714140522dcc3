using System;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>Threads of which one leads: it waits for what is to be done next, and does it itself. Before it waits for
/// anything else, it lets another one lead. Who waits has a connection lent, so there are not many more threads than
/// connections.</summary>
#pragma warning disable CA1001 // the last of its threads is the last that uses them
internal sealed class Leaders
#pragma warning restore CA1001
{
    private readonly Func<Leaders, bool> _leadOnce; // false: it is over
    private readonly string _name;
    private readonly SemaphoreSlim _leads = new(1);
    private readonly ThreadLocal<bool> _isLeading = new();
    private int _threads;
    private int _spare;
    private volatile bool _over;

    public Leaders(string name, Func<Leaders, bool> leadOnce)
    {
        _name = name;
        _leadOnce = leadOnce;
    }

    public void Start() => Add();

    /// <summary>The calling thread is about to wait for something: another one leads from here on. It comes back by
    /// itself.</summary>
    public void LetAnotherLead()
    {
        if (!_isLeading.Value)
            return;
        _isLeading.Value = false;
        if (Volatile.Read(ref _spare) == 0)
            Add();
        _leads.Release();
    }

    /// <summary>Without the system's last thread there are as many leaders as there are.</summary>
    private void Add()
    {
        Interlocked.Increment(ref _threads);
        try
        {
            new Thread(Run) { IsBackground = true, Name = _name }.Start();
        }
        catch (Exception e) when ((e is OutOfMemoryException or ThreadStartException) && _threads > 1)
        {
            Interlocked.Decrement(ref _threads);
        }
    }

    private void Run()
    {
        for (; ; )
        {
            Interlocked.Increment(ref _spare);
            _leads.Wait();
            Interlocked.Decrement(ref _spare);
            _isLeading.Value = true;
            while (!_over && _isLeading.Value)
                _over |= !_leadOnce(this);
            if (!_over)
                continue;
            _leads.Release(); // each tells the next one
            return;
        }
    }
}
