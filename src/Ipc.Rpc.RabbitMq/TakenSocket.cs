using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Ipc.Rpc.RabbitMq;

/// <summary>Notes that the broker's machine has taken a connection.</summary>
internal sealed class TakenSocket(Socket socket, Attempts attempts) : TcpClientAdapter(socket)
{
    public override async Task ConnectAsync(IPAddress host, int port, CancellationToken cancellationToken = default)
    {
        await base.ConnectAsync(host, port, cancellationToken).ConfigureAwait(false);
        attempts.WasTaken = true;
    }
}
