namespace Ipc.Rpc;

/// <summary>A request for a call that is executed once.</summary>
internal interface IOnceCall
{
    /// <summary>Fires its token.</summary>
    void Cancel();

    /// <summary>Answers it with what another request of the same call has led to. Throws nothing.</summary>
    void Answer(OnceOutcome outcome);
}
