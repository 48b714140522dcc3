using Ipc;

namespace IpcWorker._1;

/// <summary>The queue, as worker and sender open it: whoever is first creates it.</summary>
public static class JobQueue
{
    public const string Name = "the-queue-name";

    /// <summary>Where jobs go that fail again and again: <c>ipc receive</c> shows them.</summary>
    public const string Poison = Name + ".poison";

    public static void Configure(QueueOptions options)
    {
        options.BlockSize = 256; // bytes: longer messages take another way, and a little longer
        options.BlockCount = 256; // messages that wait; then senders wait
    }
}
