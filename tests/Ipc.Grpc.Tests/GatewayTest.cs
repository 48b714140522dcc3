using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Ipc.Rpc;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Xunit;
using Client = Tests.V1.Tests.TestsClient;

// IPC_DIR is the process's: one test at a time has it.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Ipc.Grpc.Tests;

/// <summary>A test with a gateway in this process and a region directory of its own. A file that stays there fails it.</summary>
public abstract class GatewayTest : IAsyncLifetime
{
    protected const string Name = "tests";

    private readonly Stack<IAsyncDisposable> _owned = new();
    private readonly string? _before = Environment.GetEnvironmentVariable("IPC_DIR");
    private readonly RegionDirectory _regions = new();

    protected GatewayTest() => Environment.SetEnvironmentVariable("IPC_DIR", _regions.Path);

    protected static CancellationToken Hang => new CancellationTokenSource(Watchdog.Patience).Token;

    /// <summary>Where the gateway listens.</summary>
    protected string Address { get; private set; } = "";

    public ValueTask InitializeAsync() => default;

    protected T Own<T>(T mine) where T : IDisposable
    {
        _owned.Push(new Disposing(mine));
        return mine;
    }

    /// <summary>The contract, served over Ipc in this process.</summary>
    protected ManagedTests Serve(RpcServerOptions? options = null)
    {
        ManagedTests service = new();
        Own(RpcServer.Start(Name, options ?? new RpcServerOptions(), TestsRpc.Service(service)));
        return service;
    }

    /// <summary>The contract, served over Ipc in another process.</summary>
    protected OtherProcess Peer(Language language) => Own(language == Language.C
        ? OtherProcess.Server(PeerPrograms.Native("tests/native/rpc_peer"), "serve", Name)
        : OtherProcess.Server(PeerPrograms.Dotnet, Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"), "tests", Name));

    /// <summary>A gateway to the contract, without TLS at a port of this machine.</summary>
    protected async Task<WebApplication> StartAsync(
        Action<IpcGrpcOptions>? configure = null, Action<WebApplication>? map = null, Action<IServiceCollection>? services = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0").ConfigureKestrel(
            static kestrel => kestrel.ConfigureEndpointDefaults(static listen => listen.Protocols = HttpProtocols.Http2));
        builder.Services.AddIpcGrpc(configure);
        services?.Invoke(builder.Services);
        WebApplication app = builder.Build();
        _owned.Push(app);
        (map ?? (static app => app.MapIpcService<ITests>(Name)))(app);
        await app.StartAsync(Hang);
        Address = app.Urls.Single();
        return app;
    }

    protected GrpcChannel Channel(GrpcChannelOptions? options = null) => Own(GrpcChannel.ForAddress(Address, options ?? new GrpcChannelOptions { MaxReceiveMessageSize = null }));

    /// <summary>The client that protoc made of the contract's file.</summary>
    protected Client Connect() => new(Channel());

    /// <summary>What anybody can send to the contract's service who is no client of gRPC.</summary>
    /// <returns>gRPC's status.</returns>
    protected async Task<string> PostAsync(string method, byte[] body, params (string Key, string Value)[] headers)
    {
        using SocketsHttpHandler handler = new() { RequestHeaderEncodingSelector = static (_, _) => Encoding.UTF8 };
        using HttpClient http = new(handler) { BaseAddress = new Uri(Address) };
        using HttpRequestMessage request = new(HttpMethod.Post, "/tests.v1.Tests/" + method)
        {
            Version = new Version(2, 0),
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(body),
        };
        request.Content.Headers.TryAddWithoutValidation("content-type", "application/grpc");
        foreach ((string key, string value) in headers)
            request.Headers.TryAddWithoutValidation(key, value);
        using HttpResponseMessage response = await http.SendAsync(request, Hang);
        await response.Content.ReadAsByteArrayAsync(Hang);
        return response.Headers.Concat(response.TrailingHeaders).Single(static header => header.Key == "grpc-status").Value.Single();
    }

    protected static global::Tests.V1.Blob Blob(string text) => new() { Data = ByteString.CopyFromUtf8(text) };

    protected static string Text(global::Tests.V1.Blob blob) => blob.Data.ToStringUtf8();

    /// <summary>The parameters of a method beside its stream.</summary>
    protected static Metadata Parameters(IMessage request) => new() { { "ipc-request-bin", request.ToByteArray() } };

    /// <summary>What the answer says beside its status: in an answer of trailers alone there are headers among them.</summary>
    protected static Metadata.Entry[] Own(Metadata trailers) => [.. trailers.Where(static entry => entry.Key is not ("date" or "server"))];

    protected static async Task<RpcException> FailureOf(Func<Task> call) => await Assert.ThrowsAsync<RpcException>(call);

    public async ValueTask DisposeAsync()
    {
        while (_owned.Count > 0)
            await _owned.Pop().DisposeAsync();
        Environment.SetEnvironmentVariable("IPC_DIR", _before);
        // connections that were let go of end on the thread pool
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
