using System.IO;
using System.Net;
using System.Net.Sockets;

namespace Ipc.Matrix;

/// <summary>A Unix socket.</summary>
internal sealed class UnixSocketBytes : SocketBytes
{
    private string? _path;

    /// <summary>Where this pair's socket is in the file system.</summary>
    public static string PathOf(string name) => Path.Combine(Path.GetTempPath(), name + ".sock");

    protected override Socket Create() => new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    protected override void Listen(Socket socket, string name)
    {
        _path = PathOf(name);
        socket.Bind(new UnixDomainSocketEndPoint(_path));
        socket.Listen(1);
    }

    protected override EndPoint Find(string name) => new UnixDomainSocketEndPoint(PathOf(name));

    public override void Dispose()
    {
        base.Dispose();
        if (_path is not null)
            File.Delete(_path);
    }
}
