namespace Ipc;

/// <summary>Room for a message: takes it. A long one takes its loan first, and keeps it from one look to the
/// next.</summary>
internal unsafe struct QueueSpaceCondition : IWaitCondition
{
    private const int TurnsBetweenLoans = 64;
    // ns; nobody signals when a full file system or another's attempt was in the way
    private const ulong LongestNap = 20_000_000;

    private readonly QueueSender _queue;
    private readonly int _length;
    private readonly bool _isLong;
    private readonly bool _marks;
    private SlotHeader* _slot;
    private ulong _word;
    private Loan _loan;
    private int _turns;

    public QueueSpaceCondition(QueueSender queue, int length, bool marks)
    {
        _marks = marks;
        _queue = queue;
        _length = length;
        _isLong = queue.IsLong(length);
        _slot = null;
        _word = 0;
        _loan = default;
        _turns = 0;
    }

    public readonly ulong LongestSleep =>
        (_isLong && _loan.Bytes == null) || _queue.LooksAgainSoon
            ? LongestNap
            : ulong.MaxValue;

    public bool IsTrue()
    {
        if (_queue.IsClosed)
            return false;
        if (_isLong && _loan.Bytes == null)
        {
            // Looking for a loan is dear: in every round before a sleep, and now and then while spinning.
            if (_turns++ % TurnsBetweenLoans != 0 ||
                !_queue.TryTakeLoan(_length, out _loan))
            {
                return false;
            }
        }

        return _queue.TryTakeFree(_marks, out _slot, out _word);
    }

    public readonly IpcStatus PeerStatus()
    {
        _queue.Attend();
        return IpcStatus.Ok;
    }

    public bool BeforeSleep()
    {
        _turns = 0;
        return true;
    }

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
            _queue.GiveBack(_loan);
    }
}
