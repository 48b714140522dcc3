using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Threading;

namespace Ipc;

/// <content>The client's login: again and again, with pauses, and anew when the server is another one.</content>
/// <remarks>One thread at a time logs in, under <c>_login</c>; the others nap. Whoever stops or closes takes back what
/// the server is being asked. What has changed is noted under the lock and told without it.</remarks>
public sealed partial class NamedConnection
{
    private const int LongestPause = 1000; // ms
    private const int NapBesideLogin = 20; // ms; it is ended by the login's end, unless that came first
    private const int ShortestPatience = 20; // ms; with a server that does not answer a sender who has room
    internal const long SessionRing = 4096;

    private static readonly Random s_random = new();

    private readonly object _login = new();
    private readonly object _naps = new();
    private readonly Queue<NamedConnectionChangedEventArgs> _changes = new(); // not told yet; its own lock
    private CancellationTokenSource? _asking; // while the server is asked; under _naps
    private int _attempts;      // since the last session; under _login
    private ulong _nextAttempt; // CLOCK_MONOTONIC, ns
    private bool _beginsAnew;   // the former ends are shut, and there are no others yet; under _login
    private bool _isTelling;    // under the lock of _changes

    /// <summary>Waits until there is a session.</summary>
    /// <param name="deadline">When to give up.</param>
    /// <param name="always">Also where the options say that nobody logs in by himself.</param>
    /// <param name="untilRecord">A message that is there will do.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    private IpcStatus Attend(Deadline deadline, bool always, bool untilRecord, CancellationToken cancellationToken)
    {
        if (!IsClient || (!always && !_options.Reconnect) || IsConnected)
            return IpcStatus.Ok;
        using (cancellationToken.Register(static self => ((NamedConnection)self!).EndNaps(), this))
        {
            for (; ; )
            {
                bool isElsewhere = !Monitor.TryEnter(_login); // another thread is at it
                if (!isElsewhere)
                {
                    try
                    {
                        if (IsConnected)
                            return IpcStatus.Ok;
                        if (IsDue())
                        {
                            IpcStatus status = LogIn(deadline, cancellationToken);
                            if (status is IpcStatus.Ok or IpcStatus.Stopped or IpcStatus.Cancelled or IpcStatus.Closed)
                                return status;
                        }
                    }
                    finally
                    {
                        Monitor.Exit(_login);
                        EndNaps();
                        TellChanges();
                    }
                }

                RingReader reader = Ends.Reader;
                if (untilRecord && reader.Poll(out IpcStatus ended) && ended == IpcStatus.Ok)
                    return IpcStatus.Ok;
                if (deadline.HasPassed)
                    return IpcStatus.Timeout;
                lock (_naps)
                {
                    if (Atomic.LoadAcquire(ref _disposed) != 0)
                        return IpcStatus.Closed;
                    if (Atomic.LoadAcquire(ref _stopped) != 0)
                        return IpcStatus.Stopped;
                    if (cancellationToken.IsCancellationRequested)
                        return IpcStatus.Cancelled;
                    Monitor.Wait(_naps, isElsewhere ? NapBesideLogin : NapLength(deadline));
                }
            }
        }
    }

    /// <summary>How long a sender that has room waits for the server's answer: not much longer than it has waited to
    /// ask. Under the login's lock.</summary>
    private Deadline Patience() => Deadline.FromMilliseconds(
        Math.Max(ShortestPatience, Math.Min(LongestPause, 1 << Math.Min(_attempts, 10)) / 2));

    private bool IsDue() => Os.Current.Now() >= Atomic.LoadAcquire(ref _nextAttempt);

    private int NapLength(Deadline deadline)
    {
        ulong now = Os.Current.Now();
        ulong next = Atomic.LoadAcquire(ref _nextAttempt);
        double pause = next > now ? (next - now) / 1e6 : 1;
        return (int)Math.Ceiling(Math.Min(Math.Min(pause, deadline.Remaining.TotalMilliseconds), LongestPause));
    }

    /// <summary>Whoever naps looks again.</summary>
    private void EndNaps()
    {
        lock (_naps)
            EndNapsNow();
    }

    /// <summary>Under the lock of the naps.</summary>
    private void EndNapsNow()
    {
        Monitor.PulseAll(_naps);
        _napEnd?.TrySetResult(true);
        _napEnd = null;
    }

    /// <summary>And whoever waits for a server's answer gives it up.</summary>
    private void EndLogin()
    {
        lock (_naps)
        {
            _asking?.Cancel();
            EndNapsNow();
        }
    }

    /// <summary>After a failure: at random between half of it and all of it, so that the clients of a server that comes
    /// do not come at once.</summary>
    private void PauseAttempts()
    {
        double longest = Math.Min(LongestPause, 1 << Math.Min(_attempts++, 10));
        double pause;
        lock (s_random)
            pause = longest * (0.5 + s_random.NextDouble() / 2);
        Atomic.StoreRelease(ref _nextAttempt, Os.Current.Now() + (ulong)(pause * 1e6));
    }

    /// <summary>Under the login's lock.</summary>
    private IpcStatus LogIn(Deadline deadline, CancellationToken cancellationToken)
    {
        for (int resets = 0; ; resets++)
        {
            if (Atomic.LoadAcquire(ref _disposed) != 0)
                return IpcStatus.Closed;
            try
            {
                if (_beginsAnew)
                    OpenAnew();
                NamedEnds ends = Ends;
                if (ends.Session is { } former)
                    Lose(ends, former, IpcStatus.PeerClosed);
                IpcStatus status = Ask(ends, deadline, cancellationToken);
                if (status != IpcStatus.Ok)
                    PauseAttempts();
                return status;
            }
            catch (ConnectionRefusedException error) when (
                error.Code == CloseCode.Identity && resets == 0 && _options.BeginsAnew)
            {
                GiveUp(error.Message);
            }
            catch (IpcException error) when (error.Status == IpcStatus.Timeout)
            {
                PauseAttempts(); // somebody who is stopped has the region's lock
                return IpcStatus.Timeout;
            }
            catch (IpcException)
            {
                PauseAttempts();
                throw;
            }
        }
    }

    private IpcStatus Ask(NamedEnds ends, Deadline deadline, CancellationToken cancellationToken)
    {
        ends.WriteData(ofClient: true, _options.Login.Span);
        FaultPoints.Pass(FaultPoints.NamedLoginWritten);
        if (ends.Hello(ClientName) is not { } hello)
            return IpcStatus.Closed;
        Connection? session;
        using CancellationTokenSource asking = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (!BeginToAsk(asking))
            return EndedBy(cancellationToken);
        try
        {
            session = Connection.ConnectIfThere(WayToServer(), SessionOptions(deadline, hello), asking.Token);
        }
        catch (IpcException error) when (error.Status is IpcStatus.NotFound or IpcStatus.Timeout or
            IpcStatus.PeerClosed or IpcStatus.PeerDied or IpcStatus.TableFull)
        {
            return error.Status;
        }
        catch (IpcException error) when (error.Status == IpcStatus.Cancelled)
        {
            return EndedBy(cancellationToken);
        }
        finally
        {
            lock (_naps)
                _asking = null;
        }

        if (session is null)
            return IpcStatus.NotFound;
        ends.Session = session;
        // who published since the server looked, and found no session to notify
        session.Notify();
        if (Atomic.LoadAcquire(ref _disposed) != 0) // who disposes has not seen it
        {
            session.Dispose();
            return IpcStatus.Closed;
        }

        _attempts = 0;
        Note(new NamedConnectionChangedEventArgs(NamedChange.Connected));
        return IpcStatus.Ok;
    }

    /// <summary>What leads to the server may have gone, and is there again when it is asked for.</summary>
    private string WayToServer()
    {
        string name = AddressScheme.NameOf(_address, ClientName);
        if (name != ServerName)
            Throw.Status(
                IpcStatus.InvalidName,
                $"\"{_address}\" led to \"{ServerName}\" when the conversation was opened, and leads to " +
                $"\"{name}\" now: open it anew.");
        return name;
    }

    private ConnectOptions SessionOptions(Deadline deadline, byte[] hello) => new()
    {
        ToServerCapacity = SessionRing,
        ToClientCapacity = SessionRing,
        LoanBudget = 0,
        WaitMode = _options.WaitMode,
        SpinLimit = _options.SpinLimit,
        Deadline = deadline,
        Hello = hello,
        Protocol = Protocol,
    };

    /// <summary>False: it is being stopped or closed.</summary>
    private bool BeginToAsk(CancellationTokenSource asking)
    {
        lock (_naps)
        {
            if (Atomic.LoadAcquire(ref _disposed) != 0 || Atomic.LoadAcquire(ref _stopped) != 0)
                return false;
            _asking = asking;
            return true;
        }
    }

    private IpcStatus EndedBy(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? IpcStatus.Cancelled
        : Atomic.LoadAcquire(ref _disposed) != 0 ? IpcStatus.Closed : IpcStatus.Stopped;

    /// <summary>The session is over. Under the login's lock.</summary>
    private void Lose(NamedEnds ends, Connection session, IpcStatus status)
    {
        CloseCode code = session.PeerCloseCode;
        NamedConnectionChangedEventArgs change = new(NamedChange.Disconnected)
        {
            Reason = code != CloseCode.None ? IpcStatus.PeerClosed : status,
            Code = code,
            Text = session.PeerCloseText,
        };
        if (code == CloseCode.None && !session.IsOpen)
            change.Reason = IpcStatus.PeerDied;
        ends.Session = null;
        session.Dispose();
        ends.WakeThreads(); // which sleep as if it were there
        Atomic.StoreRelease(ref _nextAttempt, 0);
        Note(change);
    }

    /// <summary>The server is another one: what was not acknowledged is given up, and said. Under the login's lock.
    /// Nobody commits or acknowledges in the former ends any more when it is counted.</summary>
    internal void GiveUp(string identity)
    {
        NamedEnds former = Ends;
        _beginsAnew = true;
        former.Shut();
        Note(new NamedConnectionChangedEventArgs(NamedChange.Reset)
        {
            OldIdentity = former.ReadIdentity() is { } bytes ? Encoding.UTF8.GetString(bytes) : "",
            NewIdentity = identity,
            LostSent = (long)former.Outstanding,
            LostReceived = (long)former.CountUnacknowledged(),
        });
    }

    /// <summary>The former region goes, then there is another one. Where it failed the last time it goes on.</summary>
    private void OpenAnew()
    {
        NamedEnds former = Ends;
        if (!former.IsDisposed)
        {
            former.Region.End();
            FaultPoints.Pass(FaultPoints.NamedResetUnlinked);
            former.Dispose();
        }

        NamedEnds anew = OpenEnds(ServerName, ClientName, _options, CancellationToken.None);
        anew.IsFollowed = _options.Reconnect;
        Atomic.Exchange(ref _ends, anew);
        _beginsAnew = false;
        if (Atomic.LoadAcquire(ref _stopped) != 0) // who stops may have seen the former ones only
        {
            anew.Writer.Stop();
            anew.Reader.Stop();
        }

        if (Atomic.LoadAcquire(ref _disposed) != 0) // and who disposes
            anew.Dispose();
    }

    private void Note(NamedConnectionChangedEventArgs change)
    {
        lock (_changes)
            _changes.Enqueue(change);
    }

    /// <summary>Without a lock, in their order: by one thread at a time, which also tells what comes
    /// meanwhile.</summary>
    private void TellChanges()
    {
        for (bool isMine = false; ; isMine = true)
        {
            NamedConnectionChangedEventArgs change;
            lock (_changes)
            {
                if (_isTelling && !isMine)
                    return;
                _isTelling = _changes.Count != 0;
                if (!_isTelling)
                    return;
                change = _changes.Dequeue();
            }

            try
            {
                Changed?.Invoke(this, change);
            }
#pragma warning disable CA1031 // a handler's failure is its author's
            catch (Exception error)
#pragma warning restore CA1031
            {
                Trace.TraceError("A handler of NamedConnection.Changed threw: " + error);
            }
        }
    }
}
