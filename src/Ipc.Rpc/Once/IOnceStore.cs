using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>Keeps what a server remembers of calls that are executed once, longer than the server lives
/// (<see cref="RpcOnceOptions.Store"/>). <see cref="FileOnceStore"/> is one.</summary>
/// <remarks>For each call it keeps a key (56 bytes, the same for the same call) and an outcome. Several threads call it
/// at once. What it throws from <see cref="Begin"/> refuses the call
/// (<see cref="RpcOnceRefusal.NotStored"/>); what it throws from the others is traced.</remarks>
public interface IOnceStore
{
    /// <summary>Everything that it has, the oldest first. Called once, when a server starts.</summary>
    /// <returns>Each call with its outcome; an empty outcome for one that began and did not end.</returns>
    /// <exception cref="IpcException">It cannot be read, or another server uses it: the server does not
    /// start.</exception>
    OnceStoreContents Load();

    /// <summary>A call is about to be executed. When this returns, the death of the process does not take it
    /// back.</summary>
    void Begin(ReadOnlyMemory<byte> call);

    /// <summary>A call has been executed. The outcome is not empty, and does not change later.</summary>
    void End(ReadOnlyMemory<byte> call, ReadOnlyMemory<byte> outcome);

    /// <summary>Calls are forgotten.</summary>
    /// <param name="calls">Their keys.</param>
    /// <param name="forgottenTo">From here on <see cref="OnceStoreContents.ForgottenTo"/>.</param>
    void Forget(IReadOnlyList<ReadOnlyMemory<byte>> calls, DateTime forgottenTo);
}
