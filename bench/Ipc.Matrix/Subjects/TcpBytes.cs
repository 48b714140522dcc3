using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;

namespace Ipc.Matrix;

/// <summary>TCP over the loopback interface, without Nagle's delay.</summary>
internal sealed class TcpBytes : SocketBytes
{
    private string? _portFile;

    protected override Socket Create() => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    protected override void Listen(Socket socket, string name)
    {
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen(1);
        _portFile = PortFile(name);
        File.WriteAllText(_portFile, ((IPEndPoint)socket.LocalEndPoint!).Port.ToString(CultureInfo.InvariantCulture));
    }

    protected override EndPoint Find(string name) => new IPEndPoint(IPAddress.Loopback, int.Parse(File.ReadAllText(PortFile(name)), CultureInfo.InvariantCulture));

    public override void Dispose()
    {
        base.Dispose();
        if (_portFile is not null)
            File.Delete(_portFile);
    }

    private static string PortFile(string name) => Path.Combine(Path.GetTempPath(), name + ".port");
}
