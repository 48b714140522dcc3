using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc;

/// <content>What is done when no thread is left to lead.</content>
internal sealed partial class ServerLoop
{
    private static readonly TimeSpan _watchPause = TimeSpan.FromMilliseconds(20);

    private int _watching;

    /// <summary>As many handlers block as there may be threads, and the leader may be one of them: what it would be
    /// told is looked for.</summary>
    private void BeginToWatch()
    {
        if (Interlocked.Exchange(ref _watching, 1) == 0) // [watching] the crew is exhausted, and the gate says so
            ThreadPool.UnsafeQueueUserWorkItem(static state => _ = ((ServerLoop)state!).WatchAsync(), this);
    }

    private async Task WatchAsync()
    {
        while (true)
        {
            await Task.Delay(_watchPause).ConfigureAwait(false);
            List<ServerConnection> connections;
            lock (_connections)
                connections = _connections.ToList();
            foreach (ServerConnection connection in connections)
            {
                if (Volatile.Read(ref _stopping) != 0)
                    connection.Close(CloseCode.Shutdown, "The server stopped.");
                else
                    connection.NoticeEnd();
            }

            if (_crew.IsExhausted)
                continue;
            Interlocked.Exchange(ref _watching, 0); // [watching]
            if (!_crew.IsExhausted || Interlocked.Exchange(ref _watching, 1) != 0)
                return;
        }
    }
}
