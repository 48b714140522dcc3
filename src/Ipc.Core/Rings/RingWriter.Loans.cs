using System;
using System.Threading;

namespace Ipc;

/// <summary>Messages that are too long for the ring: their bytes stand in a block of the pool, their record holds the
/// block's descriptor.</summary>
/// <remarks>
/// A claim is a block and room for its record. At commit the descriptor is written into the record's payload, the block
/// is published with the record's position as its holder, and then the record is published like any other. So whoever
/// takes over can tell: a published block whose holder is at or behind the tail was never sent, one before the read
/// position was released.
/// <para>
/// No block is the same as no room: the batch is published, the wish is said, and looked for again; either the reader
/// sees the wish after it has freed its loans, or we see the freed loan. What cannot be seen here (a full file system
/// that has room again) is looked for every <see cref="LongestSleep"/>.
/// </para>
/// </remarks>
public sealed unsafe partial class RingWriter
{
    private const ulong LongestSleep = 20_000_000; // ns

    /// <summary>Stands for the size of a claim that is a loan: no record has it, so the fast path of commit leaves it
    /// alone, and there are no lines to zero.</summary>
    private const ulong LoanClaimSize = 1;

    private bool IsLoan => _loan.Bytes != null;

    /// <summary>Gives the memory of unused loans back to the system, for example after a burst of long
    /// messages.</summary>
    /// <remarks>Call it on the writer's thread, like all its methods. The other direction of a connection can be
    /// trimmed by the peer only.</remarks>
    public void TrimLoans()
    {
        try
        {
            if (Enter())
                Geometry.Pool?.Trim(_owner);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Claims a block, and room for its record.</summary>
    private bool ClaimLoan(int length)
    {
        if (!HasLoanRoom() || !TryTakeLoan(length, counted: false, out Loan loan))
        {
            AskForSpace();
            if (!SeesLoanRoom() || !TryTakeLoan(length, counted: true, out loan))
                return false;
        }

        _loan = loan;
        _claimStart = _tail;
        _claimSize = LoanClaimSize;
        _claimed = length;
        return true;
    }

    /// <summary>Descriptor into the record, block published, and the record's header, for whoever publishes
    /// that.</summary>
    private ulong RecordLoan(int length, ushort type)
    {
        *(LoanDescriptor*)(HeaderAt(_claimStart) + 1) = _loan.Describe((uint)length);
        FaultPoints.Pass(FaultPoints.RingLoanRecorded);
        if (!Geometry.Pool!.Publish(_loan, _claimStart))
            Corrupted($"block {_loan.Index} of class {_loan.Class} in a state that its owner has not given it");
        _loan = default;
        return RecordHeader.OfLoan(type);
    }

    private void AbandonLoan()
    {
        Geometry.Pool!.GiveBack(_loan);
        _loan = default;
    }

    /// <summary>The claim outgrows its block, or the ring.</summary>
    private bool GrowLoan(int length)
    {
        if (IsLoan)
        {
            if (!Geometry.Pool!.TryExtend(ref _loan, (uint)length, (uint)_claimed))
            {
                AskForSpace();
                if (!Geometry.Pool.TryExtend(ref _loan, (uint)length, (uint)_claimed))
                    return false;
            }

            _claimed = length;
            return true;
        }

        Pool pool = Geometry.Pool!;
        if (pool.TryTakeToGrow(_owner, (uint)length, out Loan loan) != IpcStatus.Ok)
        {
            AskForSpace();
            if (pool.Take(_owner, (uint)length, out loan) != IpcStatus.Ok)
                return false;
        }

        // The record will stand at the tail: there was room for the claim, so there is for a line.
        Buffer.MemoryCopy(
            _records + (_claimStart & _mask) + RecordHeader.ByteSize, loan.Bytes, loan.Capacity, (ulong)_claimed);
        ZeroLines(_claimStart + RecordHeader.Line, _claimStart + _claimSize);
        _loan = loan;
        _claimStart = _tail;
        _claimSize = LoanClaimSize;
        _claimed = length;
        return true;
    }

    private bool TryTakeLoan(int length, bool counted, out Loan loan)
    {
        loan = _spare;
        _spare = default;
        if (loan.Bytes != null && loan.Capacity >= (ulong)length)
            return true;
        if (loan.Bytes != null)
            Geometry.Pool!.GiveBack(loan);
        IpcStatus taken = counted
            ? Geometry.Pool!.Take(_owner, (uint)length, out loan)
            : Geometry.Pool!.TryTake(_owner, (uint)length, out loan);
        return taken == IpcStatus.Ok;
    }

    /// <summary>Room for a record of one line, which never wraps.</summary>
    private bool HasLoanRoom() => _tail + RecordHeader.Line <= _limit || SeesLoanRoom();

    private bool SeesLoanRoom()
    {
        ulong end = _tail + RecordHeader.Line;
        return SeesRoom(end) || (end > _present - RecordHeader.Line && TryMakePresent(end) && SeesRoom(end));
    }

    private IpcStatus WaitForLoan(int length, Deadline deadline, CancellationToken cancellationToken)
    {
        LoanCondition condition = new(this, length);
        IpcStatus status = Control.Wait(ref condition, &Header->Space, deadline, cancellationToken);
        if (status != IpcStatus.Ok && _spare.Bytes != null)
        {
            Geometry.Pool!.GiveBack(_spare);
            _spare = default;
        }

        return status;
    }

    /// <summary>A block, which is taken when it is seen and kept for the claim, and room for its record.</summary>
    private struct LoanCondition : IWaitCondition
    {
        private readonly RingWriter _writer;
        private readonly int _length;
        private int _turns;

        public LoanCondition(RingWriter writer, int length)
        {
            _writer = writer;
            _length = length;
            _turns = 0;
        }

        public readonly ulong LongestSleep => RingWriter.LongestSleep;

        public bool IsTrue()
        {
            if (_writer.SeesLoan(_length))
                return true;
            if (_turns++ % TurnsBetweenWishes != 0)
                return false;
            _writer.AskForSpace();
            return _writer.SeesLoan(_length);
        }

        public readonly IpcStatus PeerStatus() => _writer.PeerStatus();

        public bool BeforeSleep()
        {
            _turns = 0;
            return true;
        }
    }

    private bool SeesLoan(int length)
    {
        if (!SeesLoanRoom() || !TryTakeLoan(length, counted: false, out Loan loan))
            return false;
        _spare = loan;
        return true;
    }
}
