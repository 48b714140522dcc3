using System;
using System.IO;
using System.Net.Http;
using System.Net.Sockets;
using System.Threading.Tasks;
using Ipc.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ipc.Matrix.Cells;

/// <summary>ASP.NET's server and .NET's client of HTTP/2, on a Unix socket or in shared memory.</summary>
internal abstract class HttpLink(bool isIpc) : Link
{
    private WebApplication? _server;
    private string? _path;

    /// <summary>What the answering side carries.</summary>
    protected Work? Current { get; private set; }

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        string path = Path.Combine(Path.GetTempPath(), $"ipc-cells-{name}.http");
        if (side == Side.Measuring)
        {
            Connect(isIpc ? IpcHttp.CreateHandler(name) : ConnectTo(path));
        }
        else if (isIpc)
        {
            Serve(host => host.UseIpcTransport().ConfigureKestrel(kestrel =>
            {
                Enlarge(kestrel);
                kestrel.Listen(new IpcEndPoint(name), Http2);
            }));
        }
        else
        {
            File.Delete(path);
            _path = path;
            Serve(host => host.ConfigureKestrel(kestrel =>
            {
                Enlarge(kestrel);
                kestrel.ListenUnixSocket(path, Http2);
            }));
        }
    }

    public override void Prepare(Work work) => Current = work;

    public override void Measure(Work work, int count, Round round) => Task.Run(() => MeasureAsync(work, count, round)).GetAwaiter().GetResult();

    public override void Dispose()
    {
        if (_server is not null)
        {
            _server.StopAsync().GetAwaiter().GetResult();
            ((IAsyncDisposable)_server).DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        if (_path is not null)
            File.Delete(_path);
    }

    protected virtual void Add(IServiceCollection services)
    {
    }

    protected abstract void Map(WebApplication server);

    protected abstract void Connect(HttpMessageHandler handler);

    protected abstract Task MeasureAsync(Work work, int count, Round round);

    private static void Http2(ListenOptions listen) => listen.Protocols = HttpProtocols.Http2;

    /// <summary>Windows of HTTP/2 as large as the rings and buffers of the others.</summary>
    private static void Enlarge(KestrelServerOptions kestrel)
    {
        kestrel.Limits.Http2.InitialConnectionWindowSize = Links.Capacity;
        kestrel.Limits.Http2.InitialStreamWindowSize = Links.Capacity;
    }

    private static SocketsHttpHandler ConnectTo(string path) => new()
    {
        InitialHttp2StreamWindowSize = Links.Capacity,
        ConnectCallback = async (_, cancel) =>
        {
            Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
            return new NetworkStream(socket, ownsSocket: true);
        },
    };

    private void Serve(Action<IWebHostBuilder> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        configure(builder.WebHost.UseKestrelCore());
        Add(builder.Services);
        _server = builder.Build();
        Map(_server);
        _server.StartAsync().GetAwaiter().GetResult();
    }
}
