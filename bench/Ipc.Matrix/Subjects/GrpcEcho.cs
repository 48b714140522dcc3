using System.IO;
using System.Net.Http;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Net.Client;
using Ipc.Matrix.Echoes;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ipc.Matrix;

/// <summary>Some bytes there and back in a unary call of gRPC: Grpc.AspNetCore's server, Grpc.Net.Client, as they are.</summary>
internal sealed class GrpcEcho(int bytes, int count, bool isIpc = false) : Http2Pair(count, inFlight: 1, isIpc)
{
    private readonly Parcel _parcel = new() { Data = ByteString.CopyFrom(new byte[bytes]) };
    private GrpcChannel? _channel;
    private Echo.EchoClient? _client;

    public override void Dispose()
    {
        _channel?.Dispose();
        base.Dispose();
    }

    protected override void Add(IServiceCollection services) => services.AddGrpc();

    protected override void Map(WebApplication server) => server.MapGrpcService<EchoService>();

    protected override void Connect(HttpMessageHandler handler)
    {
        _channel = GrpcChannel.ForAddress("http://bench", new GrpcChannelOptions { HttpHandler = handler, DisposeHttpClient = true });
        _client = new Echo.EchoClient(_channel);
    }

    protected override async Task CallAsync()
    {
        Parcel answer = await _client!.UnaryAsync(_parcel);
        if (answer.Data.Length != _parcel.Data.Length)
            throw new InvalidDataException($"{answer.Data.Length} bytes came back instead of {_parcel.Data.Length}.");
    }
}
