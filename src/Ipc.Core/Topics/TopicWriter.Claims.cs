using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>What becomes of a claim that is not simply committed; and who waits for readers.</summary>
public sealed unsafe partial class TopicWriter
{
    private protected override void BeforeLeaving() =>
        Atomic.StoreRelease(ref _leftAt, Atomic.LoadAcquire(ref Header->Tail));

    private protected override void AddTo(TopicInfo info)
    {
        ulong tail = (ulong)info.Tail;
        for (int index = NextReader(0); index >= 0; index = NextReader(index + 1))
        {
            if (HoldsWritersUp(index, out ulong cursor, out _, out _))
                info.Behind = Math.Max(info.Behind, (long)(tail - cursor));
        }
    }

    private void AbandonClaim()
    {
        _claimed = NoClaim;
        Atomic.TryExchange(&_claimSlot->State, _claimWord, SlotState.With(_claimWord, 0, SlotState.Gap));
        GiveLoanBack();
        FaultPoints.Pass(FaultPoints.TopicAbandonDone);
        Waiter.Signal(&Header->Data);
    }

    /// <summary>Entered already; leaves. A loan, or something is wrong with the commit.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | Tiering.Optimized)]
    private void CommitSlow(ulong position, int length, ushort type, ulong key)
    {
        try
        {
            if (!Enter())
                return; // closed: the claim was given back
            if (length < 0)
                Throw.NegativeLength(length);
            if (_claimed == NoClaim || position != _claimPosition)
                Throw.NoClaim();
            if (length > _claimed)
                Throw.CommitExceedsClaim(length, _claimed);
            CommitLoan((uint)length, type, key);
        }
        finally
        {
            Leave();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void LostClaim()
    {
        if (!Control.IsClosed)
            Corrupted($"a slot that was taken from its writer at position {_claimPosition}");
    }

    private readonly struct ReadersCondition : IWaitCondition
    {
        private readonly TopicWriter _writer;
        private readonly int _count;

        public ReadersCondition(TopicWriter writer, int count)
        {
            _writer = writer;
            _count = count;
        }

        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue() => _writer.CountReaders() >= _count;

        public IpcStatus PeerStatus()
        {
            _writer.Attend();
            return IpcStatus.Ok;
        }

        public bool BeforeSleep() => true;
    }
}
