using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Threading.Tasks;
using Ipc.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Ipc.Matrix;

/// <summary>64 bytes posted and returned over HTTP/2 on a Unix socket, or in shared memory: ASP.NET's server, .NET's client, nothing above them.</summary>
/// <remarks>What a gRPC call does at least: its framing, metadata and message objects would come on top.</remarks>
internal sealed class Http2Echo(int count, int inFlight = 1, bool isIpc = false) : Subject(count)
{
    private static readonly Uri s_address = new("http://bench/echo");

    private readonly byte[] _bytes = new byte[64];
    private WebApplication? _server;
    private HttpClient? _client;
    private string? _path;

    public override void Open(string name, Side side)
    {
        string path = UnixSocketBytes.PathOf(name);
        if (isIpc && side == Side.Answering)
            _server = Serve(host => host.UseIpcTransport().ConfigureKestrel(kestrel => kestrel.Listen(new IpcEndPoint(name), Http2)));
        else if (isIpc)
            _client = new HttpClient(IpcHttp.CreateHandler(name));
        else if (side == Side.Answering)
        {
            _path = path;
            _server = Serve(host => host.ConfigureKestrel(kestrel => kestrel.ListenUnixSocket(path, Http2)));
        }
        else
        {
            _client = new HttpClient(ConnectTo(path));
        }
    }

    public override double Measure(int count)
    {
        double perCall = MeasureAsync(count).GetAwaiter().GetResult();
        return inFlight > 1 ? 1000 / perCall : Units.Convert(perCall, Unit.Nanoseconds, Unit.Microseconds);
    }

    public override void Dispose()
    {
        _client?.Dispose();
        if (_server is not null)
        {
            _server.StopAsync().GetAwaiter().GetResult();
            ((IAsyncDisposable)_server).DisposeAsync().AsTask().GetAwaiter().GetResult();
        }

        if (_path is not null)
            File.Delete(_path);
    }

    private static void Http2(ListenOptions listen) => listen.Protocols = HttpProtocols.Http2;

    private static WebApplication Serve(Action<IWebHostBuilder> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.ClearProviders();
        configure(builder.WebHost.UseKestrelCore());
        WebApplication server = builder.Build();
        server.Run(EchoAsync);
        server.StartAsync().GetAwaiter().GetResult();
        return server;
    }

    private static async Task EchoAsync(HttpContext context)
    {
        int length = (int)context.Request.ContentLength!.Value;
        byte[] bytes = new byte[length];
        await context.Request.Body.ReadExactlyAsync(bytes);
        context.Response.ContentLength = length;
        await context.Response.Body.WriteAsync(bytes);
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

    private async Task RepeatAsync(int count)
    {
        for (int i = 0; i < count; i++)
            await CallAsync();
    }

    private async Task CallAsync()
    {
        using HttpRequestMessage request = new(HttpMethod.Post, s_address)
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(_bytes),
        };
        using HttpResponseMessage response = await _client!.SendAsync(request);
        byte[] bytes = await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync();
        if (bytes.Length != _bytes.Length)
            throw new InvalidDataException($"{bytes.Length} bytes came back instead of {_bytes.Length}.");
    }
}
