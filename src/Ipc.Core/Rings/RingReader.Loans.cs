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
    private LoanDescriptor[] _loans = Array.Empty<LoanDescriptor>();
    private int _loanCount;

    private ReadOnlySpan<byte> ReadLoan(ulong position)
    {
        LoanDescriptor descriptor = *(LoanDescriptor*)(HeaderAt(position) + 1); // a copy: checked and used
        string? wrong = Geometry.Pool!.Resolve(descriptor, out Loan loan);
        if (wrong is not null)
            Corrupted(wrong);
        if (_loanCount == _loans.Length)
            Array.Resize(ref _loans, Math.Max(4, 2 * _loans.Length));
        _loans[_loanCount++] = descriptor;
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
            for (int i = 0; i < _loanCount; i++)
                Geometry.Pool!.Free(_loans[i]); // [loan] a full fence: the look at the wish comes after
            _loanCount = 0;
            _returnAt = _capacity / ReturnsPerLap;
        }

        if (_released - _free >= _returnAt || Atomic.LoadAcquire(ref Header->Space.Wanted) != 0) // [wanted]
            ReturnSpace();
    }
}
