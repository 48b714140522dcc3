using System;

namespace Ipc.Rpc;

/// <summary>Whether a task is being made of a call on this thread. The caller behind <see cref="RpcCaller"/> may want
/// to know: nobody awaits that call yet.</summary>
internal static class TaskMaking
{
    [ThreadStatic]
    private static bool _isHere;

    public static bool IsHere
    {
        get => _isHere;
        set => _isHere = value;
    }
}
