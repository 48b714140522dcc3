using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Runtime.InteropServices.Marshalling;
using System.Runtime.Versioning;
using System.Threading;
using System.Threading.Tasks;

namespace OfficeAddin.Xll;

/// <summary>The live values of IPC.STREAM: what a daemon sends reaches the cell without a recalculation of the sheet.</summary>
/// <remarks>
/// Excel calls it on its main thread and makes one, when the first cell wants a value. Values come on threads of the
/// library's; the first change after Excel has fetched all of them wakes the main thread, which tells Excel that there
/// is something, and Excel fetches when it has time (every 2 s unless its ThrottleInterval says otherwise). So a cell
/// that changes a thousand times between two fetches costs one.
/// </remarks>
[GeneratedComClass]
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class RtdServer : IRtdServer
{
    private const int NameCount = 3; // service, id, field
    private const int UpdateNotify = 7; // in the table of Excel's object, after those of IUnknown and IDispatch

    private static readonly TimeSpan RefusedPause = TimeSpan.FromMilliseconds(250);

    private static RtdServer? _running; // the main thread's

    private readonly Lock _gate = new();
    private readonly Dictionary<int, Topic> _topics = [];
    private readonly List<Topic> _changed = [];
    private bool _isTold; // that there are changes: once, until they are fetched
    private MainThread? _mainThread;
    private nint _update;

    /// <summary>The functions have ended, and with them what was subscribed to. Cells that are still there are subscribed to again when Excel asks for
    /// their values: by that it says that it goes on.</summary>
    public static void FunctionsEnded() => _running?.EndSubscriptions();

    public int ServerStart(void* update, int* result)
    {
        if (update == null || result == null)
            return HResult.Pointer;
        try
        {
            _mainThread = new MainThread(TellExcel);
            Marshal.AddRef((nint)update);
            _update = (nint)update;
            _running = this;
            *result = 1;
            return HResult.Ok;
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    public int ConnectData(int topic, void** strings, short* getNewValue, Variant* value)
    {
        if (strings == null || getNewValue == null || value == null)
            return HResult.Pointer;
        try
        {
            if (Automation.ReadTexts(*strings) is not { Count: NameCount } names)
                return HResult.InvalidArgument;
            Topic added = new(this, topic, names[0], names[1], names[2]);
            DisconnectData(topic);
            lock (_gate)
                _topics[topic] = added;
            added.Subscribe();
            *getNewValue = -1;
            *value = Automation.Of(added.Take());
            return HResult.Ok;
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    public int RefreshData(int* count, void** changes)
    {
        if (count == null || changes == null)
            return HResult.Pointer;
        try
        {
            List<(int Topic, CellValue Value)> values = [];
            List<Topic> ended = [];
            lock (_gate)
            {
                _isTold = false;
                foreach (Topic topic in _changed)
                {
                    if (!_topics.TryGetValue(topic.Id, out Topic? present) || !ReferenceEquals(present, topic))
                        continue;
                    values.Add((topic.Id, topic.Take()));
                    if (topic.IsEnded)
                        ended.Add(topic);
                }

                _changed.Clear();
            }

            foreach (Topic topic in ended)
                topic.Subscribe(); // what it brings is told anew
            *count = values.Count;
            *changes = Automation.TableOf(values);
            return *changes != null ? HResult.Ok : HResult.Fail;
        }
        catch (Exception exception)
        {
            return Failed(exception);
        }
    }

    public int DisconnectData(int topic)
    {
        Topic? removed;
        lock (_gate)
            _topics.Remove(topic, out removed);
        removed?.End();
        return HResult.Ok;
    }

    public int Heartbeat(int* alive)
    {
        if (alive == null)
            return HResult.Pointer;
        *alive = 1;
        return HResult.Ok;
    }

    public int ServerTerminate()
    {
        List<Topic> topics;
        lock (_gate)
        {
            topics = [.. _topics.Values];
            _topics.Clear();
            _changed.Clear();
            _isTold = true; // nobody is woken any more
        }

        foreach (Topic topic in topics)
            topic.End();
        if (ReferenceEquals(_running, this))
            _running = null;
        _mainThread?.End();
        if (_update != 0)
            Marshal.Release(_update);
        _update = 0;
        return HResult.Ok;
    }

    public int GetTypeInfoCount(uint* count)
    {
        if (count == null)
            return HResult.Pointer;
        *count = 0;
        return HResult.Ok;
    }

    public int GetTypeInfo(uint index, uint language, void** info) => HResult.NotImplemented;

    public int GetIDsOfNames(Guid* reserved, char** names, uint count, uint language, int* ids) => HResult.NotImplemented;

    public int Invoke(int member, Guid* reserved, uint language, ushort flags, void* arguments, Variant* result, void* exception, uint* wrong)
        => HResult.MemberNotFound;

    /// <summary>On any thread.</summary>
    private void Changed(Topic topic)
    {
        lock (_gate)
        {
            if (!topic.TryMark())
                return;
            _changed.Add(topic);
            if (_isTold)
                return;
            _isTold = true;
        }

        Wake();
    }

    /// <summary>On any thread.</summary>
    private void Wake()
    {
        if (!_mainThread!.Post())
            WakeLater();
    }

    private void TellExcel()
    {
        if (_update != 0 && ((delegate* unmanaged[Stdcall]<nint, int>)(*(void***)_update)[UpdateNotify])(_update) < 0)
            WakeLater(); // it is busy
    }

    /// <summary>Whoever was to be told was not. No change would try again: each waits for those before it to be fetched.</summary>
    private void WakeLater() => _ = Task.Delay(RefusedPause).ContinueWith(_ => Wake(), TaskScheduler.Default);

    private void EndSubscriptions()
    {
        List<Topic> topics;
        lock (_gate)
            topics = [.. _topics.Values];
        foreach (Topic topic in topics)
            topic.FunctionsEnded();
    }

    private static int Failed(Exception exception)
    {
        Log.Write(exception.ToString());
        return HResult.Fail;
    }

    /// <summary>One value that one or more cells show.</summary>
    private sealed class Topic(RtdServer server, int id, string service, string idInService, string field) : IObserver<CellValue>
    {
        private readonly Lock _gate = new();
        private IDisposable? _subscription;
        private CellValue _value = CellValue.NotAvailable;
        private bool _isMarked = true; // it is in the server's list, or nobody has been told its first value
        private bool _isOver;

        public int Id => id;

        /// <summary>Nothing comes any more, until it is subscribed to again.</summary>
        public bool IsEnded
        {
            get
            {
                lock (_gate)
                    return _subscription is null && !_isOver;
            }
        }

        /// <summary>On the main thread. What comes meanwhile is seen by <see cref="Take"/>.</summary>
        public void Subscribe()
        {
            IDisposable subscription = AddIn.Functions.Observe(service, idInService, field).Subscribe(this);
            bool isOver;
            lock (_gate)
            {
                isOver = _isOver;
                if (!isOver)
                    _subscription = subscription;
            }

            if (isOver)
                subscription.Dispose();
        }

        /// <summary>The value; the next change is one that has to be told.</summary>
        public CellValue Take()
        {
            lock (_gate)
            {
                _isMarked = false;
                return _value;
            }
        }

        public bool TryMark()
        {
            lock (_gate)
            {
                bool first = !_isMarked;
                _isMarked = true;
                return first;
            }
        }

        public void OnNext(CellValue value)
        {
            lock (_gate)
                _value = value;
            server.Changed(this);
        }

        /// <summary>The functions were closed while they were asked.</summary>
        public void OnCompleted()
        {
        }

        public void OnError(Exception error)
        {
        }

        public void FunctionsEnded()
        {
            lock (_gate)
                _subscription = null; // it went with them
            OnNext(CellValue.NotAvailable);
        }

        public void End()
        {
            IDisposable? subscription;
            lock (_gate)
            {
                _isOver = true;
                subscription = _subscription;
            }

            subscription?.Dispose();
        }
    }
}
