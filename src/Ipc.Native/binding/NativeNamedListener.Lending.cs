using System;

namespace Ipc.Native;

/// <content>Which connection may be freed when. The library wants a connection that is not lent to be closed only
/// while no thread is in its wait, and nobody in a call of a connection when the listener is closed.</content>
public sealed unsafe partial class NativeNamedListener
{
    private const uint Shutdown = 4; // IPC_CLOSE_SHUTDOWN

    /// <summary>The last one is out of it. Any thread, also the collector's.</summary>
    internal void Free(NativeNamedConnection connection)
    {
        lock (_gate)
        {
            if (_isLed && connection.Loan == NativeNamedLoan.None)
            {
                _left.Add(connection);
                NativeMethods.ipc_named_listener_stop(_listener); // its leader comes out and frees it
                return;
            }

            FreeNow(connection);
        }
    }

    internal bool IsLent(NativeNamedConnection connection, NativeNamedLoan loan)
    {
        lock (_gate)
            return connection.Loan == loan;
    }

    /// <summary>Before the library is told: from then on the leader may look at it, and lend it again.</summary>
    internal bool TakeBack(NativeNamedConnection connection, NativeNamedLoan loan)
    {
        lock (_gate)
        {
            if (connection.Loan != loan)
                return false;
            connection.Loan = NativeNamedLoan.None;
            return true;
        }
    }

    /// <summary>The library did not take it.</summary>
    internal void LendAgain(NativeNamedConnection connection, NativeNamedLoan loan)
    {
        lock (_gate)
            connection.Loan = loan;
    }

    private void Lead()
    {
        lock (_gate)
        {
            if (_isLed)
                throw new InvalidOperationException("Another thread waits in this listener.");
            _isLed = true;
        }
    }

    /// <summary>What it found; null: nothing, or an event of who is being disposed of.</summary>
    private NativeNamedEvent? ComeOut(in NamedEventData data)
    {
        lock (_gate)
        {
            _isLed = false;
            NativeNamedEvent? found = data.Connection == null ? null : Seen(data);
            if (_left.Count == 0)
                return found;
            foreach (NativeNamedConnection connection in _left)
                FreeNow(connection);
            _left.Clear();
            LetIn();
            return found;
        }
    }

    private NativeNamedEvent? Seen(in NamedEventData data)
    {
        var kind = (NativeNamedEventKind)data.Kind;
        NativeNamedConnection connection = Known((IntPtr)data.Connection);
        connection.Loan = kind switch
        {
            NativeNamedEventKind.Login => NativeNamedLoan.Login,
            NativeNamedEventKind.Readable => NativeNamedLoan.Readable,
            _ => NativeNamedLoan.None,
        };
        if (_isEnding)
            connection.Close((int)_code, _words); // it came too late to be among those that are disposed of
        return connection.IsLeaving ? null : new NativeNamedEvent(kind, connection, data.Code, Utf8.From(data.Text));
    }

    /// <summary>Why the leader was stopped; Ok: to come out for a moment, by <see cref="Free"/>.</summary>
    private NativeStatus Stopped()
    {
        lock (_gate)
            return _isEnding ? NativeStatus.Closed : _isStopped ? NativeStatus.Stopped : NativeStatus.Ok;
    }

    private void LetIn()
    {
        if (!_isStopped && !_isEnding && _left.Count == 0)
            NativeMethods.ipc_named_listener_resume(_listener);
    }

    private NativeNamedConnection Known(IntPtr pointer)
    {
        if (_connections.TryGetValue(pointer, out NativeNamedConnection? known))
            return known;
        bool counted = false;
        _owner.DangerousAddRef(ref counted); // the listener is closed after it
        var connection = new NativeNamedConnection(pointer, this);
        _connections.Add(pointer, connection);
        return connection;
    }

    private void FreeNow(NativeNamedConnection connection)
    {
        _connections.Remove(connection.Pointer); // first: another one may get the pointer
        connection.Free();
        _owner.DangerousRelease();
    }

    private void End(uint code, string text)
    {
        byte[] words = Utf8.Terminated(text);
        NativeNamedConnection[] all;
        lock (_gate)
        {
            if (_isEnding)
                return;
            (_isEnding, _code, _words, _text) = (true, code == 0 ? Shutdown : code, text, words);
            all = [.. _connections.Values];
        }

        _owner.Leave();
        foreach (NativeNamedConnection connection in all)
            connection.Close((int)_code, text);
    }

    private void StopForGood(IntPtr listener)
    {
        lock (_gate)
        {
            NativeMethods.ipc_named_listener_stop(listener); // under the gate: nobody takes it back
        }
    }

    private void Left(IntPtr listener)
    {
        fixed (byte* text = _text)
            NativeMethods.ipc_named_listener_close(listener, _code, text);
    }
}
