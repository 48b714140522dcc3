using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Net.Client;
using Ipc.AspNetCore.Peer;
using Ipc.Pipelines;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Xunit;

// IPC_DIR is the process's: one test at a time has it.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Ipc.AspNetCore.Tests;

/// <summary>A test with a region directory of its own. A file that stays there fails it.</summary>
public abstract class ServerTest : IAsyncLifetime
{
    private readonly Stack<IAsyncDisposable> _owned = new();
    private readonly string? _before = Environment.GetEnvironmentVariable("IPC_DIR");
    private readonly RegionDirectory _regions = new();

    protected ServerTest() => Environment.SetEnvironmentVariable("IPC_DIR", _regions.Path);

    protected static CancellationToken Hang => new CancellationTokenSource(Watchdog.Patience).Token;

    public ValueTask InitializeAsync() => default;

    protected T Own<T>(T mine) where T : IDisposable
    {
        _owned.Push(new Disposing(mine));
        return mine;
    }

    protected async Task<WebApplication> ServeAsync(string name = "web", Action<IWebHostBuilder>? configure = null)
    {
        WebApplication server = TestServer.Build(name, configure);
        _owned.Push(server);
        await server.StartAsync(Hang);
        return server;
    }

    protected OtherProcess Peer(string name = "web") =>
        Own(OtherProcess.Server(PeerPrograms.Dotnet, typeof(TestServer).Assembly.Location, name));

    protected HttpClient Http(Version? version = null, IpcPipeOptions? options = null) => Own(new HttpClient(IpcHttp.CreateHandler("web", options))
    {
        BaseAddress = new Uri("http://localhost"),
        DefaultRequestVersion = version ?? HttpVersion.Version11,
        DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        Timeout = Watchdog.Patience,
    });

    protected GrpcChannel Channel(IpcPipeOptions? options = null) => Own(GrpcChannel.ForAddress(
        "http://localhost", new GrpcChannelOptions { HttpHandler = IpcHttp.CreateHandler("web", options), DisposeHttpClient = true, MaxReceiveMessageSize = null }));

    public async ValueTask DisposeAsync()
    {
        while (_owned.Count > 0)
            await _owned.Pop().DisposeAsync();
        Environment.SetEnvironmentVariable("IPC_DIR", _before);
        // connections that a handler has let go of end on the thread pool
        Watchdog.Until(() => Directory.GetFileSystemEntries(_regions.Path).Length == 0, "the last file to go");
        _regions.Dispose();
        GC.SuppressFinalize(this);
    }

    private sealed class Disposing(IDisposable mine) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            mine.Dispose();
            return default;
        }
    }
}
