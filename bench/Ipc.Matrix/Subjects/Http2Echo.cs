using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ipc.Matrix;

/// <summary>64 bytes posted and returned over HTTP/2 on a Unix socket, or in shared memory: ASP.NET's server, .NET's client, nothing above them.</summary>
/// <remarks>What a gRPC call does at least; <see cref="GrpcEcho"/> has its framing, metadata and message objects on top.</remarks>
internal sealed class Http2Echo(int count, int inFlight = 1, bool isIpc = false) : Http2Pair(count, inFlight, isIpc)
{
    private static readonly Uri s_address = new("http://bench/echo");

    private readonly byte[] _bytes = new byte[64];
    private HttpClient? _client;

    public override void Dispose()
    {
        _client?.Dispose();
        base.Dispose();
    }

    protected override void Map(WebApplication server) => server.Run(EchoAsync);

    protected override void Connect(HttpMessageHandler handler) => _client = new HttpClient(handler);

    protected override async Task CallAsync()
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

    private static async Task EchoAsync(HttpContext context)
    {
        int length = (int)context.Request.ContentLength!.Value;
        byte[] bytes = new byte[length];
        await context.Request.Body.ReadExactlyAsync(bytes);
        context.Response.ContentLength = length;
        await context.Response.Body.WriteAsync(bytes);
    }
}
