using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <summary>The message without fields: the request of a method without parameters, the response of one without a
/// result.</summary>
public readonly struct RpcEmpty
{
    /// <summary>Writes no bytes; accepts and skips whatever a newer peer may send.</summary>
    public static MessageCodec<RpcEmpty> Codec { get; } = new(
        "Empty",
        static (ref ProtoWriter _, in RpcEmpty _) => { },
        static (ref ProtoReader reader) =>
        {
            while (reader.TryReadTag(out uint tag))
                reader.SkipField(tag);
            return default;
        },
        fields: new MessageFields<RpcEmpty>(
            0, static (IMessageFieldWriter _, in RpcEmpty _) => { }, static _ => default));

    /// <summary>The empty response that follows <paramref name="task"/>; its failure is passed on.</summary>
    public static ValueTask<RpcEmpty> After(Task task)
        => task.Status == TaskStatus.RanToCompletion ? default : Await(new ValueTask(task));

    /// <summary>The empty response that follows <paramref name="task"/>; its failure is passed on.</summary>
    public static ValueTask<RpcEmpty> After(ValueTask task)
    {
        if (!task.IsCompletedSuccessfully)
            return Await(task);

        task.GetAwaiter().GetResult(); // returns a pooled source to its pool
        return default;
    }

    /// <summary>Turns a call for an empty response into a call for nothing.</summary>
    public static async ValueTask Discard(ValueTask<RpcEmpty> call) => await call.ConfigureAwait(false);

    private static async ValueTask<RpcEmpty> Await(ValueTask task)
    {
        await task.ConfigureAwait(false);
        return default;
    }
}
