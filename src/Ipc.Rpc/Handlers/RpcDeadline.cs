namespace Ipc.Rpc;

/// <summary>The deadline of the call that is being handled: calls that a handler makes inherit it.</summary>
public static class RpcDeadline
{
    /// <summary><see cref="RpcContext.Deadline"/> of the call being handled here, or
    /// <see cref="Deadline.Never"/>.</summary>
    public static Deadline Current
    {
        get
        {
            ulong moment = ServerCall.CurrentDeadline;
            return moment == 0 ? Deadline.Never : Deadline.FromNanoseconds(moment);
        }
    }
}
