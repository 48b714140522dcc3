using System;
using System.Diagnostics;
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

namespace Ipc.Matrix;

/// <summary>Calls over HTTP/2, on a Unix socket or in shared memory: ASP.NET's server, .NET's client.</summary>
internal abstract class Http2Pair(int count, int inFlight, bool isIpc) : Subject(count)
{
    private WebApplication? _server;
    private string? _path;

    public override void Open(string name, Side side)
    {
        string path = UnixSocketBytes.PathOf(name);
        if (side == Side.Measuring)
        {
            Connect(isIpc ? IpcHttp.CreateHandler(name) : ConnectTo(path));
        }
        else if (isIpc)
        {
            _server = Serve(host => host.UseIpcTransport().ConfigureKestrel(kestrel => kestrel.Listen(new IpcEndPoint(name), Http2)));
        }
        else
        {
            _path = path;
            _server = Serve(host => host.ConfigureKestrel(kestrel => kestrel.ListenUnixSocket(path, Http2)));
        }
    }

    /// <summary>Of one call at a time in microseconds, of several in millions a second.</summary>
    public override double Measure(int count)
    {
        double perCall = MeasureAsync(count).GetAwaiter().GetResult();
        return inFlight > 1 ? 1000 / perCall : Units.Convert(perCall, Unit.Nanoseconds, Unit.Microseconds);
    }

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

    /// <summary>The server's services.</summary>
    protected virtual void Add(IServiceCollection services)
    {
    }

    /// <summary>What the server does.</summary>
    protected abstract void Map(WebApplication server);

    /// <summary>Makes the client.</summary>
    protected abstract void Connect(HttpMessageHandler handler);

    protected abstract Task CallAsync();

    private static void Http2(ListenOptions listen) => listen.Protocols = HttpProtocols.Http2;

    private WebApplication Serve(Action<IWebHostBuilder> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        configure(builder.WebHost.UseKestrelCore());
        Add(builder.Services);
        WebApplication server = builder.Build();
        Map(server);
        server.StartAsync().GetAwaiter().GetResult();
        return server;
    }

    private static SocketsHttpHandler ConnectTo(string path) => new()
    {
        ConnectCallback = async (_, cancel) =>
        {
            Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
            return new NetworkStream(socket, ownsSocket: true);
        },
    };

    private async Task<double> MeasureAsync(int count)
    {
        await CallAsync();
        long began = Stopwatch.GetTimestamp();
        Task[] lanes = new Task[inFlight];
        for (int lane = 0; lane < inFlight; lane++)
            lanes[lane] = RepeatAsync(count / inFlight);
        await Task.WhenAll(lanes);
        return Nanoseconds(began, count / inFlight * inFlight);
    }

    /// <summary>One at a time each has a time of its own; several at once have none.</summary>
    private async Task RepeatAsync(int count)
    {
        long[]? ticks = inFlight == 1 ? Ticks : null;
        for (int i = 0; i < count; i++)
        {
            long began = ticks is null ? 0 : Stopwatch.GetTimestamp();
            await CallAsync();
            if (ticks is not null)
                ticks[i] = Stopwatch.GetTimestamp() - began;
        }
    }
}
