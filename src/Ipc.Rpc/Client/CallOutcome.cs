namespace Ipc.Rpc;

/// <summary>What became of a synchronous call on one connection.</summary>
internal enum CallOutcome
{
    /// <summary>There is a response. A failure is an exception.</summary>
    Answered,

    /// <summary>The connection was found to be over, and nothing was sent.</summary>
    Unsent,

    /// <summary>The server ended in good order, or is about to, and has not handled the call: another server
    /// may.</summary>
    Unhandled,
}
