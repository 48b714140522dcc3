using System;
using System.Runtime.CompilerServices;

namespace Ipc;

/// <summary>One message of a queue, in place. No other receiver gets it unless this one dies or leaves without
/// releasing it.</summary>
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

    /// <summary>The bytes, valid until the message is released or the queue is closed. If the queue is garbage
    /// collected without Dispose, their memory stays until the process ends. A hostile participant can change them at
    /// any time: read each once, check it, then use it.</summary>
    public ReadOnlySpan<byte> Payload => new(_payload, (int)_length);

    /// <summary>The type that the sender gave to the message.</summary>
    public ushort Type => _type;

    /// <summary>Whether a receiver that died, or left without releasing the message, may have handled it
    /// already.</summary>
    public bool Redelivered => (_word & SlotState.Redelivered) != 0;

    /// <summary>Releases the message: its room is free again, and it is not delivered again. It has no effect if the
    /// message was released already or the queue is closed.</summary>
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
