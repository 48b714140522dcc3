using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using static Ipc.WindowsNative;

namespace Ipc;

/// <summary>Registered waits at process handles: Windows reports an end at once, of any number of processes, and
/// watching costs nothing.</summary>
/// <remarks>The callbacks run on a wait thread of the system's, so they do nothing but note a token and set an event;
/// they take no lock but that of the notes.</remarks>
internal sealed class WindowsProcessMonitor : ProcessMonitor
{
    [UnmanagedFunctionPointer(CallingConvention.Winapi)]
    private delegate void WaitCallback(IntPtr context, byte timedOut);

    private static readonly WaitCallback s_ended = OnEnded; // the system calls it: it must not be collected
    private static readonly IntPtr s_callback = Marshal.GetFunctionPointerForDelegate(s_ended);

    private readonly Dictionary<int, Watched> _watched = new(); // by token
    private readonly Queue<int> _ended = new();                 // tokens, under its own lock
    private readonly IntPtr _event;

    private WindowsProcessMonitor(IntPtr @event) => _event = @event;

    private sealed class Watched
    {
        private GCHandle _context;
        private readonly IntPtr _process;
        private IntPtr _wait;

        public Watched(WindowsProcessMonitor monitor, int token, IntPtr process)
        {
            Monitor = monitor;
            Token = token;
            _process = process;
            _context = GCHandle.Alloc(this);
        }

        public WindowsProcessMonitor Monitor { get; }

        public int Token { get; }

        public bool TryRegister() => RegisterWaitForSingleObject(
            out _wait,
            _process,
            s_callback,
            GCHandle.ToIntPtr(_context),
            INFINITE,
            WT_EXECUTEINWAITTHREAD | WT_EXECUTEONLYONCE) != 0;

        /// <summary>After it no callback runs.</summary>
        public void End()
        {
            if (_wait != IntPtr.Zero)
                _ = UnregisterWaitEx(_wait, InvalidHandle); // waits for one that is under way
            _ = CloseHandle(_process);
            _context.Free();
        }
    }

    /// <summary>Null: there is no event to be had.</summary>
    public static unsafe WindowsProcessMonitor? TryCreate()
    {
        IntPtr @event = CreateEventW(null, 0, 0, null);
        return @event == IntPtr.Zero ? null : new WindowsProcessMonitor(@event);
    }

    public override bool TryAdd(in ProcessIdentity process, int token, out bool gone)
    {
        IntPtr handle = WindowsProcess.Open(process.Pid, out bool exists);
        gone = !exists;
        if (handle == IntPtr.Zero)
            return false;

        // The pid may have been given again before it was opened; afterwards it cannot change under the handle.
        ulong created = WindowsProcess.StartTimeOf(handle);
        gone = created != 0 && created != process.StartTime;
        Watched watched = new(this, token, handle);
        if (gone || !watched.TryRegister())
        {
            watched.End();
            return false;
        }

        lock (_watched)
            _watched.Add(token, watched);
        return true;
    }

    public override void Remove(int token)
    {
        lock (_watched)
        {
            if (_watched.TryGetValue(token, out Watched? watched))
            {
                _watched.Remove(token);
                watched.End();
            }
        }
    }

    public override int Wait(int timeout)
    {
        if (TryTake(out int token))
            return token;
        if (WaitForSingleObject(_event, timeout < 0 ? INFINITE : (uint)timeout) == WAIT_FAILED)
            WindowsOs.Failed("WaitForSingleObject");
        return TryTake(out token) ? token : 0;
    }

    public override void Wake() => _ = SetEvent(_event);

    public override void Dispose()
    {
        lock (_watched)
        {
            foreach (Watched watched in _watched.Values)
                watched.End();
            _watched.Clear();
        }

        _ = CloseHandle(_event);
    }

    private bool TryTake(out int token)
    {
        lock (_ended)
        {
            token = _ended.Count > 0 ? _ended.Dequeue() : 0;
            return token != 0;
        }
    }

    private static void OnEnded(IntPtr context, byte timedOut)
    {
        Watched watched = (Watched)GCHandle.FromIntPtr(context).Target!;
        WindowsProcessMonitor monitor = watched.Monitor;
        lock (monitor._ended)
            monitor._ended.Enqueue(watched.Token);
        monitor.Wake();
    }
}
