using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <content>Reading.</content>
internal sealed partial class ServerConnection
{
    private const int AsideTimes = 8; // what one observation is good for

    private int _asideTimes; // this and the next: the leader's
    private bool _wasLong;

    /// <summary>Another connection's request was found waiting behind one of this.</summary>
    public void IsInTheWay() => _asideTimes = AsideTimes;

    /// <summary>Notes how long its requests took this time.</summary>
    /// <returns>Whether they took long the last two times: once may be the collector's doing, or the
    /// scheduler's.</returns>
    public bool IsOftenLong(bool isLong)
    {
        bool before = _wasLong;
        _wasLong = isLong;
        return before && isLong;
    }

    /// <summary>Has another thread read it, if it is in the way of others and has a request. The leader calls, and
    /// forgets it then.</summary>
    public bool TryGoAside(Crew crew)
    {
        if (_asideTimes == 0 || _requests.Wait(Deadline.Now) != IpcStatus.Ok || !crew.TryReadAside(this))
            return false;

        _asideTimes--;
        return true;
    }

    /// <summary>Reads and handles up to <paramref name="budget"/> frames. The caller leads and has this
    /// connection.</summary>
    /// <param name="leader">The caller.</param>
    /// <param name="budget">How many.</param>
    /// <param name="looks">How often to look again where there is none, each time: a client that calls in a loop has
    /// its next request there in less time than it takes to look after everything else.</param>
    [MethodImpl(Tiering.Optimized)]
    public DrainResult Drain(Leader leader, int budget, int looks)
    {
        for (int handled = 0; handled < budget; handled++)
        {
            if (Volatile.Read(ref _closed) || ((IsCongested || Callee.MustWait) && TryPark()))
                return DrainResult.Gone;

            var turn = new FrameTurn(this, leader, looks);
            try
            {
                CleanContext.Undo(ref turn);
            }
            catch (CorruptRegionException e)
            {
                Close(CloseCode.Corrupt, e.Message);
                return DrainResult.Gone;
            }

            if (!turn.Found)
                return handled == 0 ? DrainResult.Empty : DrainResult.Drained;
            if (!turn.Leading)
                return DrainResult.Stolen;
            if (turn.Wrong is not null)
            {
                Close(CloseCode.Protocol, turn.Wrong);
                return DrainResult.Gone;
            }
        }

        return DrainResult.Drained;
    }

    /// <summary>Whether the client cannot send while this thread spins.</summary>
    [MethodImpl(Tiering.Optimized)]
    public bool IsClientOnThisProcessor() => _connection.IsPeerOnThisProcessor();

    /// <inheritdoc/>
    [MethodImpl(Tiering.Optimized)]
    public override void ReleaseRequest() => _requests.Release();

    [MethodImpl(Tiering.Optimized)]
    private string? Handle(Leader leader, in RingRecord record, out bool leading)
    {
        leading = true;
        ReadOnlySpan<byte> frame = record.Payload;
        Volatile.Write(ref _received, _received + frame.Length);
        string? wrong = FrameHeader.TryRead(record.Type, frame, fromClient: true, out FrameHeader header);
        if (wrong is not null)
            return wrong;

        ReadOnlySpan<byte> body = frame.Slice(FrameHeader.Size);
        if (header.Kind is FrameKind.Ping or FrameKind.Pong)
        {
            if (header.Kind == FrameKind.Ping)
                Pong(header, body);
            _requests.Release();
            return null;
        }

        if (header.Kind == FrameKind.Read)
        {
            _requests.Release();
            return Transit.OnRead(header.Method, header.Deadline);
        }

        if (header.Kind == FrameKind.Item && Transit.OnItem(frame.Length, out FrameHeader report))
            SendSmall(report, Array.Empty<byte>());
        if (!header.IsCallback)
            return Callee.OnFrame(leader, in header, body, out leading);

        wrong = Volatile.Read(ref _callbacks)?.OnFrame(in header, body);
        _requests.Release();
        return wrong;
    }

    /// <summary>The reading and handling of one frame, if there is one.</summary>
    private struct FrameTurn : CleanContext.IWork
    {
        private readonly ServerConnection _connection;
        private readonly Leader _leader;
        private readonly int _looks;

        public FrameTurn(ServerConnection connection, Leader leader, int looks)
        {
            _connection = connection;
            _leader = leader;
            _looks = looks;
        }

        /// <summary>Whether there was one.</summary>
        public bool Found { get; private set; }

        /// <summary>Whether the thread may still read.</summary>
        public bool Leading { get; private set; }

        /// <summary>Why the connection cannot go on.</summary>
        public string? Wrong { get; private set; }

        [MethodImpl(Tiering.Optimized)]
        public void Run()
        {
            RingReader requests = _connection._requests;
            RingRecord record;
            for (int looks = _looks; !requests.TryRead(out record); looks--)
            {
                if (looks == 0)
                    return;
                SpinPause.Once();
            }

            Found = true;
            Wrong = _connection.Handle(_leader, in record, out bool leading);
            Leading = leading;
        }
    }
}
