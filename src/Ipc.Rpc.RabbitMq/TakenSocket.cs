using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The socket of one attempt: notes that the broker's machine has taken the connection, and is closed when the
/// attempt is given up. The client leaves it open then, and waits for five seconds.</summary>
internal sealed class TakenSocket(Socket socket, Attempts attempts) : TcpClientAdapter(socket)
{
    private readonly Socket _socket = socket;

    public override async Task ConnectAsync(IPAddress host, int port, CancellationToken cancellationToken = default)
    {
        await base.ConnectAsync(host, port, cancellationToken).ConfigureAwait(false);
        attempts.WasTaken = true;
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
