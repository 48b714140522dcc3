using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Messages whose bytes stand in the pool.</summary>
/// <remarks>
/// What is read and not released is remembered here, for the ring's lines may be somebody else's by the time of the
/// release: after the read position has passed a record, nothing in the ring speaks for it. So the order is: read
/// position <c>[release]</c>, then the loans <c>[loan]</c>, then the look at the writer's wish. Killed in between, the
/// loans are published blocks whose holder is before the read position: whoever recovers frees them.
/// </remarks>
public sealed unsafe partial class RingReader
{
    // read, not released; grows to what was ever out at once
    private ReadLoanRecord[] _loans = Array.Empty<ReadLoanRecord>();
    private int _loanCount;

    private struct ReadLoanRecord
    {
        public LoanDescriptor Descriptor;
        public ulong Position; // of its record
    }

    /// <summary>Where the next record is looked for: the end of what has been read.</summary>
    internal ulong Position => _position;

    /// <summary>In a named connection: the messages up to number <paramref name="sequence"/>, whose record ends at
    /// <paramref name="position"/>, are done, and their records are released. What was read behind them
    /// stays.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal void Acknowledge(ulong sequence, ulong position, bool isWatched)
    {
        if (Enter() && position > _released && position <= _position)
        {
            Atomic.StoreRelease(ref Header->Acknowledged, sequence); // [acknowledge]
            FaultPoints.Pass(FaultPoints.NamedAcknowledgeStored);
            _released = position;
            Atomic.StoreRelease(ref Header->ReadPosition, position); // [release]
            FaultPoints.Pass(FaultPoints.RingReleaseAfterStore);
            if (position - _free >= _returnAt || Atomic.LoadAcquire(ref Header->Space.Wanted) != 0) // [wanted]
                ReleaseSlow();
            // whoever has armed it does not look at `wanted`: this thread has, which leads, unless it is lent
            if (isWatched && _free != _released &&
                (Atomic.LoadAcquire(ref Header->Data.Word) & WaiterWords.SleeperBit) != 0)
                ReturnSpace();
        }

        Leave();
    }

    private ReadOnlySpan<byte> ReadLoan(ulong position)
    {
        LoanDescriptor descriptor = *(LoanDescriptor*)(HeaderAt(position) + 1); // a copy: checked and used
        string? wrong = Geometry.Pool!.Resolve(descriptor, out Loan loan);
        if (wrong is not null)
            Corrupted(wrong);
        if (_loanCount == _loans.Length)
            Array.Resize(ref _loans, Math.Max(4, 2 * _loans.Length));
        _loans[_loanCount++] = new ReadLoanRecord { Descriptor = descriptor, Position = position };
        _returnAt = 0; // the next release has more to do
        return new ReadOnlySpan<byte>(loan.Bytes, (int)descriptor.Length);
    }

    /// <summary>Released already: free the loans; return the space if it is time.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReleaseSlow()
    {
        if (_loanCount != 0)
        {
            FaultPoints.Pass(FaultPoints.RingReleaseBeforeLoans);
            int freed = 0;
            while (freed < _loanCount && _loans[freed].Position < _released)
                Geometry.Pool!.Free(_loans[freed++].Descriptor); // [loan] a full fence: then the look at the wish
            _loanCount -= freed;
            if (_loanCount != 0)
                Array.Copy(_loans, freed, _loans, 0, _loanCount);
            else
                _returnAt = _capacity / ReturnsPerLap;
        }

        if (_released - _free >= _capacity / ReturnsPerLap ||
            Atomic.LoadAcquire(ref Header->Space.Wanted) != 0) // [wanted]
        {
            ReturnSpace();
        }
    }
}
