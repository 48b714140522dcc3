using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>Room in a queue for one message, claimed and not sent yet. One thread at a time; keep it no longer than it
/// takes to fill it.</summary>
public readonly unsafe ref struct QueueClaim
{
    private readonly QueueSender? _sender;
    private readonly SlotHeader* _slot;
    private readonly ulong _word;
    private readonly int _length;
    private readonly Loan _loan; // empty: the payload is in the slot

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal QueueClaim(QueueSender sender, SlotHeader* slot, ulong word, int length, scoped in Loan loan = default)
    {
        _sender = sender;
        _slot = slot;
        _word = word;
        _length = length;
        _loan = loan;
    }

    /// <summary>The claimed bytes: what they hold now means nothing. Valid until committed or abandoned, while the
    /// queue is open. A queue that is dropped without Dispose keeps its memory until the process ends.</summary>
    public Span<byte> Payload => new(_loan.Bytes != null ? _loan.Bytes : (byte*)_slot + SlotHeader.ByteSize, _length);

    /// <summary>Sends the claimed bytes.</summary>
    public void Commit() => Commit(_length);

    /// <summary>Sends the first <paramref name="length"/> claimed bytes and wakes a sleeping receiver. Nothing is sent
    /// when the queue has been closed.</summary>
    /// <exception cref="InvalidOperationException">There is no claim, or it has been committed or
    /// abandoned.</exception>
    [MethodImpl(Tiering.Optimized)]
    public void Commit(int length, ushort type = 0)
    {
        if (_sender is null)
            Throw.NoClaim();
        if ((uint)length > (uint)_length)
            Refuse(length);
        if (!TryCommitOnce(length, type))
            _sender!.Missed();
    }

    /// <summary>The same, unchecked. False: nothing was sent, because the slot is not ours any more.</summary>
    [MethodImpl(Tiering.Optimized)]
    internal bool TryCommitOnce(int length, ushort type) =>
        _loan.Bytes == null
            ? _sender!.Commit(_slot, _word, (uint)length, type, 0)
            : _sender!.CommitLoan(_slot, _word, _loan, (uint)length, type);

    /// <summary>Gives the room back: nothing was sent. Nothing if there is no claim, or it has been committed or
    /// abandoned.</summary>
    public void Abandon() => _sender?.Abandon(_slot, _word, _loan);

    /// <summary>Gives the room back unless it has been committed.</summary>
    public void Dispose() => Abandon();

    private void Refuse(int length)
    {
        if (length < 0)
            Throw.NegativeLength(length);
        Throw.CommitExceedsClaim(length, _length);
    }
}
