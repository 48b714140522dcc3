using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <summary>Tells an event loop when an object has something to do: a <see cref="WaitHandle"/> for loops of .NET, an
/// eventfd for poll, epoll and libraries that use them.</summary>
/// <remarks>
/// <para>A new handle is armed. When it is signalled, use the object until there is nothing more to do
/// (<c>TryReceive</c>, <c>TryRead</c>, <c>TryNext</c>), then <see cref="Arm"/> the handle: it is signalled as soon as
/// there is more, at once if there is already. While it is armed, an object for one thread at a time must not be used,
/// except for Stop and Dispose.</para>
/// <para>It is also signalled when the object is stopped or disposed, when its region is damaged, and when its peer has
/// gone. The next call of the object reports which.</para>
/// <para>It has no thread of its own: the thread that serves all asynchronous waits signals it. Dispose it before its
/// object. After Dispose it does not use the object any more.</para>
/// </remarks>
public sealed class ReadyHandle : WaitHandle
{
    private readonly object _sync = new();
    private readonly ManualResetEvent _event = new(false);
    private readonly CancellationTokenSource _closing = new();
    private readonly Func<CancellationToken, ValueTask<bool>> _wait;
    private readonly Action _completed;
    private ConfiguredValueTaskAwaitable<bool>.ConfiguredValueTaskAwaiter _pending;
    private OsEvent? _descriptor;
    private bool _armed;
    private bool _disposed;

    /// <param name="wait">Ends when there is something to do.</param>
    internal ReadyHandle(Func<CancellationToken, ValueTask<bool>> wait)
    {
        _wait = wait;
        _completed = Completed;
        SafeWaitHandle = _event.SafeWaitHandle;
        Arm();
    }

    /// <summary>An eventfd that is readable while this handle is signalled. This handle owns it: do not read from it;
    /// <see cref="Arm"/> does.</summary>
    /// <exception cref="PlatformNotSupportedException">The system has no eventfd.</exception>
    public SafeHandle Descriptor
    {
        get
        {
            lock (_sync)
            {
                CheckOpen();
                if (_descriptor is null)
                {
                    _descriptor = Os.Current.CreateEvent() ?? throw new PlatformNotSupportedException(
                        "This system has no descriptors for events: wait for the handle itself.");
                    if (!_armed)
                        _descriptor.Set();
                }

                return _descriptor;
            }
        }
    }

    /// <summary>Clears the signal and watches the object again. It has no effect if the handle is armed.</summary>
    /// <exception cref="InvalidOperationException">Another thread waits for the object, which allows one waiting
    /// thread.</exception>
    public void Arm()
    {
        lock (_sync)
        {
            CheckOpen();
            if (_armed)
                return;
            _armed = true;
            _event.Reset();
            _descriptor?.Reset();
        }

        ConfiguredValueTaskAwaitable<bool>.ConfiguredValueTaskAwaiter pending;
        try
        {
#pragma warning disable CA2012 // it is awaited here, by hand: once, without an object for each time
            pending = _wait(_closing.Token).ConfigureAwait(false).GetAwaiter();
#pragma warning restore CA2012
        }
        catch
        {
            Signal();
            throw;
        }

        _pending = pending; // not used below: it may be over, and this cleared, before the call returns
        if (pending.IsCompleted)
            Completed();
        else
            pending.UnsafeOnCompleted(_completed);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool explicitDisposing)
    {
        if (explicitDisposing)
        {
            lock (_sync)
            {
                if (_disposed)
                    return;
                _disposed = true;
            }

            _closing.Cancel(); // outside of the lock: it may complete the wait here
            Uninterrupted.Do(static handle => handle.WaitUntilOver(), this);
            _closing.Dispose();
            _descriptor?.Dispose();
            _event.Dispose();
        }

        base.Dispose(explicitDisposing);
    }

    private void WaitUntilOver()
    {
        lock (_sync)
        {
            while (_armed)
                Monitor.Wait(_sync);
        }
    }

    private void Completed()
    {
        try
        {
            _ = _pending.GetResult();
        }
#pragma warning disable CA1031 // whatever it is, the object's next call says it to who asks
        catch (Exception)
#pragma warning restore CA1031
        {
        }

        _pending = default;
        Signal();
    }

    private void Signal()
    {
        lock (_sync)
        {
            _armed = false;
            if (_disposed)
            {
                Monitor.PulseAll(_sync);
                return;
            }

            _event.Set();
            _descriptor?.Set();
        }
    }

    private void CheckOpen()
    {
        if (_disposed)
            Throw.Disposed(this);
    }
}
