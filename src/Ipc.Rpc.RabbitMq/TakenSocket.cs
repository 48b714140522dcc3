using System;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The socket of one attempt: notes when the broker's machine has taken the connection, and is closed when the
/// attempt is given up. The client leaves it open then, and waits for five seconds.</summary>
internal sealed class TakenSocket(Socket socket) : TcpClientAdapter(socket)
{
    private readonly Socket _socket = socket;
    private long _takenAt;

    /// <summary>How long ago that was; <see langword="null"/> if it was not.</summary>
    public TimeSpan? SinceTaken =>
        Volatile.Read(ref _takenAt) is not 0 and var then ? Stopwatch.GetElapsedTime(then) : null;

    public override async Task ConnectAsync(IPAddress host, int port, CancellationToken cancellationToken = default)
    {
        await base.ConnectAsync(host, port, cancellationToken).ConfigureAwait(false);
        Volatile.Write(ref _takenAt, Stopwatch.GetTimestamp());
    }

    /// <summary>Whatever waits for it ends.</summary>
    public void GiveUp()
    {
        try
        {
            _socket.Dispose();
        }
        catch (SocketException)
        {
            // it has ended by itself
        }
    }
}
