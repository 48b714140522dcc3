using System;

namespace Ipc.Hosting;

/// <summary>What the workers of queues and topics have in common.</summary>
public abstract class IpcWorkerOptions
{
    private protected IpcWorkerOptions(int maxAttempts) => MaxAttempts = maxAttempts;

    /// <summary>The name of the queue or the topic; the one that the worker was added with unless set.</summary>
    public string Name { get; set; } = string.Empty;

    /// <summary>How often a message is handled at most; then it is given up, which is logged as an error.</summary>
    public int MaxAttempts { get; set; }

    /// <summary>The pause before the second attempt, which doubles with each further one; 100 ms unless set.</summary>
    public TimeSpan FirstPause { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>What the pause grows to; 10 seconds unless set.</summary>
    public TimeSpan LongestPause { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a stopping host waits for handlers before their tokens fire; the host's own shutdown timeout may end the wait earlier. The default is 10 seconds.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(10);
}
