using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>What an <see cref="IOnceStore"/> has.</summary>
public sealed class OnceStoreContents
{
    /// <summary>Puts it together.</summary>
    /// <param name="forgottenTo">See <see cref="ForgottenTo"/>.</param>
    /// <param name="calls">See <see cref="Calls"/>.</param>
    public OnceStoreContents(
        DateTime forgottenTo, IReadOnlyList<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> calls)
    {
        ForgottenTo = forgottenTo;
        Calls = calls ?? throw new ArgumentNullException(nameof(calls));
    }

    /// <summary>Of calls whose ids were made then or earlier, UTC, it may have forgotten some. Of a store that is new:
    /// when it was made.</summary>
    public DateTime ForgottenTo { get; }

    /// <summary>The calls in the order in which they began, each with its outcome, or an empty one.</summary>
    public IReadOnlyList<KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>>> Calls { get; }
}
