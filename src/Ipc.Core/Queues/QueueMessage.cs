using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>One message of a queue, in place: nobody else gets it until it is released, or its receiver dies.</summary>
public readonly unsafe struct QueueMessage : IDisposable
{
    private readonly QueueReceiver? _receiver;
    private readonly SlotHeader* _slot;
    private readonly ulong _word;
    private readonly byte* _payload;
    private readonly uint _length;
    private readonly ushort _type;
    private readonly bool _isLoan;
    private readonly LoanDescriptor _loan;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal QueueMessage(
        QueueReceiver receiver,
        SlotHeader* slot,
        ulong word,
        byte* payload,
        uint length,
        ushort type,
        bool isLoan = false,
        in LoanDescriptor loan = default)
    {
        _receiver = receiver;
        _slot = slot;
        _word = word;
        _payload = payload;
        _length = length;
        _type = type;
        _isLoan = isLoan;
        _loan = loan;
    }

    /// <summary>Its bytes; valid until released, while the queue is open. A queue that is dropped without Dispose keeps
    /// its memory until the process ends. A hostile participant can change them at any time: read once, check,
    /// use.</summary>
    public ReadOnlySpan<byte> Payload => new(_payload, (int)_length);

    /// <summary>What the sender gave with it.</summary>
    public ushort Type => _type;

    /// <summary>A receiver had it that died or left before it released it: it may have been handled already.</summary>
    public bool Redelivered => (_word & SlotState.Redelivered) != 0;

    /// <summary>Done with it: its room is free again, and it will not come again. Nothing if it has been released
    /// already, or the queue closed.</summary>
    [MethodImpl(Tiering.Optimized)]
    public void Release()
    {
        if (_receiver is null)
            return;
        if (_isLoan)
            _receiver.ReleaseLoan(_slot, _word, _loan);
        else
            _receiver.Release(_slot, _word);
    }

    /// <summary><see cref="Release"/>.</summary>
    public void Dispose() => Release();
}
