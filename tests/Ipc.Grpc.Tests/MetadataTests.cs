using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Tests.V1;
using Xunit;
using Interop = Ipc.Rpc.Peer.Interop;

namespace Ipc.Grpc.Tests;

/// <summary>Headers become metadata, and the answer's metadata trailers.</summary>
public sealed class MetadataTests : GatewayTest
{
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task MetadataTravelsBothWays(Language language)
    {
        Peer(language);
        await StartAsync();
        byte[] bytes = [0, 1, 255];
        var sent = new Metadata { { "user", "ann" }, { "token-bin", bytes }, { "token-bin", [7] } };
        AsyncUnaryCall<Blob> call = Connect().LabelsAsync(new Blob(), sent, cancellationToken: Hang); // sends back what it gets
        await call;
        Metadata trailers = call.GetTrailers();
        Assert.Equal(["ann"], trailers.GetAll("user").Select(static entry => entry.Value));
        Assert.Equal([bytes, [7]], trailers.GetAll("token-bin").Select(static entry => entry.ValueBytes));
        Assert.DoesNotContain(trailers, static entry => entry.Key is "te" or "content-type" or "user-agent" or "host" || entry.Key.StartsWith("grpc-", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AnswersSayWhatHttpTakesAndCannotSpeakForGrpc()
    {
        Own(RpcServer.Start(Name, new RpcService("tests.v1", [Labelled()])));
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().EchoAsync(new Blob(), cancellationToken: Hang));
        Assert.Equal((StatusCode.Aborted, "labelled"), (error.StatusCode, error.Status.Detail));
        Assert.Equal("plain", error.Trailers.GetValue("text"));
        Assert.Equal(" spaced ", Encoding.UTF8.GetString(error.Trailers.GetValueBytes("spaced-bin")!));
        Assert.Equal("näh", Encoding.UTF8.GetString(error.Trailers.GetValueBytes("utf8-bin")!));
        Assert.Equal(3, Own(error.Trailers).Length);
    }

    [Fact]
    public async Task WhatIsNoMetadataIsRefused()
    {
        Serve();
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().EchoAsync(
            new Blob(), new Metadata { { "long", new string('x', 20_000) } }, cancellationToken: Hang));
        Assert.Equal(StatusCode.InvalidArgument, error.StatusCode);

        // gRPC's clients write base64; somebody else may not
        Assert.Equal("3", await PostAsync("Echo", new byte[5], ("token-bin", "no base64!")));
    }

    /// <summary>Which of them is meant, nobody knows.</summary>
    [Fact]
    public void ParametersThatComeTwiceAreRefused()
    {
        HeaderDictionary headers = new() { ["ipc-request-bin"] = new StringValues(["CAE", "CAI"]) };
        RpcException refused = Assert.Throws<RpcException>(() => CallMetadata.Find(headers, "ipc-request-bin"));
        Assert.Equal(StatusCode.InvalidArgument, refused.StatusCode);
        Assert.Contains("2 times", refused.Status.Detail, StringComparison.Ordinal);
        headers["ipc-request-bin"] = "CAE";
        Assert.Equal([8, 1], CallMetadata.Find(headers, "ipc-request-bin"));
        Assert.Null(CallMetadata.Find(new HeaderDictionary(), "ipc-request-bin"));
    }

    private static RpcHandler Labelled()
    {
        var method = new RpcMethod<Interop.Blob, Interop.Blob>("tests.v1", "Echo", RpcMethodKind.Unary, Interop.TestsRpc.Codecs.Blob, Interop.TestsRpc.Codecs.Blob);
        return RpcHandler.Unary(method, static Interop.Blob (Interop.Blob _) =>
        {
            RpcMetadata answer = RpcContext.Current!.ResponseMetadata;
            answer.Add("text", "plain");
            answer.Add("spaced", " spaced ");
            answer.Add("utf8", "näh");
            answer.Add("grpc-status", "0");
            answer.Add("grpc-message", "well");
            answer.Add("content-type", "text/html");
            throw new RpcCallException(RpcStatus.Aborted, "labelled");
        });
    }
}
