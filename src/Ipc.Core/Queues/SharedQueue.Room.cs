namespace Ipc;

/// <summary>What a sender waits for.</summary>
public sealed unsafe partial class SharedQueue
{
    /// <summary>Room for a message: takes it. A long one takes its loan first, and keeps it from one look to the
    /// next.</summary>
    private struct SpaceCondition : IWaitCondition
    {
        private const int TurnsBetweenLoans = 64;
        // ns; nobody signals when a full file system or another's attempt was in the way
        private const ulong LoanPatience = 20_000_000;

        private readonly SharedQueue _queue;
        private readonly int _length;
        private readonly bool _isLong;
        private readonly bool _marks;
        private SlotHeader* _slot;
        private ulong _word;
        private Loan _loan;
        private int _turns;

        public SpaceCondition(SharedQueue queue, int length, bool marks)
        {
            _marks = marks;
            _queue = queue;
            _length = length;
            _isLong = (uint)length > queue._blockSize;
            _slot = null;
            _word = 0;
            _loan = default;
            _turns = 0;
        }

        public readonly ulong LongestSleep =>
            (_isLong && _loan.Bytes == null) || Atomic.LoadAcquire(ref _queue._lockWasBusy) != 0
                ? LoanPatience
                : ulong.MaxValue;

        public bool IsTrue()
        {
            if (Atomic.LoadAcquire(ref _queue._closed) != 0)
                return false;
            if (_isLong && _loan.Bytes == null)
            {
                // Looking for a loan is dear: in every round before a sleep, and now and then while spinning.
                if (_turns++ % TurnsBetweenLoans != 0 ||
                    _queue._pool!.Take(_queue._me, (uint)_length, out _loan) != IpcStatus.Ok)
                {
                    return false;
                }
            }

            return _queue.TryTakeFree(_marks, out _slot, out _word);
        }

        public readonly IpcStatus PeerStatus()
        {
            _queue._place.Attend();
            return IpcStatus.Ok;
        }

        public void BeforeSleep() => _turns = 0;

        public QueueClaim Taken()
        {
            QueueClaim claim = new(_queue, _slot, _word, _length, _loan);
            _loan = default;
            return claim;
        }

        /// <summary>Gives a loan back that came to nothing.</summary>
        public void End()
        {
            if (_loan.Bytes != null)
                _queue._pool!.GiveBack(_loan);
        }
    }
}
