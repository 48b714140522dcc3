namespace Ipc.Native;

/// <summary>Turns negative statuses into exceptions, with the words that the library has for the calling thread.</summary>
internal static unsafe class NativeError
{
    public static NativeStatus Check(NativeStatus status) => status >= 0 ? status : throw Exception(status);

    /// <summary>A wait that ended because its object is being disposed of says so.</summary>
    public static NativeStatus Check(NativeStatus status, NativeHandle owner)
        => status == NativeStatus.Stopped && owner.IsLeaving ? NativeStatus.Closed : Check(status);

    /// <summary>For calls that have to succeed: an ordinary outcome is an error, too.</summary>
    public static void Demand(NativeStatus status)
    {
        if (status != NativeStatus.Ok)
            throw Exception(status);
    }

    private static NativeException Exception(NativeStatus status)
    {
        // What is no failure has no words of its own, and another call's must not be taken for them.
        string words = status is not (NativeStatus.Full or NativeStatus.Empty or NativeStatus.Abandoned) ? Utf8.From(NativeMethods.ipc_last_error()) : "";
        return new NativeException(status, words.Length == 0 ? "The call ended with " + status + "." : words, status < 0 ? NativeMethods.ipc_last_errno() : 0);
    }
}
