using System;

namespace Ipc;

/// <summary>Memory for one copy at a time.</summary>
internal struct ItemBuffer
{
    private byte[]? _bytes;

    /// <summary>Copies; what was copied before is overwritten.</summary>
    public ReadOnlyMemory<byte> Copy(ReadOnlySpan<byte> payload)
    {
        if (_bytes is null || _bytes.Length < payload.Length)
        {
            long twice = 2L * (_bytes?.Length ?? 0);
            _bytes = new byte[(int)Math.Min(0x7FFFFFC7L, Math.Max(256, Math.Max(payload.Length, twice)))];
        }

        payload.CopyTo(_bytes);
        return new ReadOnlyMemory<byte>(_bytes, 0, payload.Length);
    }
}
