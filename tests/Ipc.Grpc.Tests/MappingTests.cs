using System;
using System.IO;
using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Rpc;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace Ipc.Grpc.Tests;

/// <summary>What cannot be mapped is refused when it is mapped, in words that say what to do.</summary>
public sealed class MappingTests : GatewayTest
{
    [Fact]
    public async Task AContractIsMappedByItsFileAlone()
    {
        Peer(Language.C);
        string proto = await File.ReadAllTextAsync(Path.Combine(PeerPrograms.Top, "tests", "native", "rpc", "tests.proto"), Hang);
        await StartAsync(map: app => app.MapIpcService(Name, proto));
        Assert.Equal("by the file", Text(await Connect().EchoAsync(Blob("by the file"), cancellationToken: Hang)));
    }

    [Fact]
    public async Task AConnectionOfTheApplicationIsUsedAndLeftToIt()
    {
        Serve();
        using RpcClient client = RpcClient.Connect(Name);
        await using (WebApplication app = await StartAsync(map: app => app.MapIpcService<ITests>(client)))
        {
            Assert.Equal("a", Text(await Connect().EchoAsync(Blob("a"), cancellationToken: Hang)));
            await app.StopAsync(Hang);
        }

        Assert.Equal("b"u8.ToArray(), TestsRpc.Client(client).Echo(new Blob { Data = "b"u8.ToArray() }).Data);
    }

    [Fact]
    public async Task AConnectionThatTheApplicationDisposedIsUnavailable()
    {
        Serve();
        RpcClient client = RpcClient.Connect(Name);
        await StartAsync(map: app => app.MapIpcService<ITests>(client));
        using AsyncDuplexStreamingCall<global::Tests.V1.Blob, global::Tests.V1.Blob> both = Connect().Mirror(cancellationToken: Hang);
        await both.RequestStream.WriteAsync(Blob("a"), Hang);
        Assert.True(await both.ResponseStream.MoveNext(Hang));
        client.Dispose();
        Assert.Equal(StatusCode.Unavailable, (await FailureOf(async () => await both.ResponseStream.MoveNext(Hang))).StatusCode);
        RpcException after = await FailureOf(async () => await Connect().EchoAsync(Blob("b"), cancellationToken: Hang));
        Assert.Equal(StatusCode.Unavailable, after.StatusCode);
        Assert.Contains("disposed", after.Status.Detail, StringComparison.Ordinal);
    }

    /// <summary>Streams need not end by themselves.</summary>
    [Fact]
    public async Task AnApplicationStopsWhileCallsAreUnderWay()
    {
        ManagedTests service = Serve();
        await using WebApplication app = await StartAsync(services: static services =>
            services.Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromMilliseconds(500)));
        using AsyncDuplexStreamingCall<global::Tests.V1.Blob, global::Tests.V1.Blob> both = Connect().Mirror(cancellationToken: Hang);
        using AsyncUnaryCall<global::Tests.V1.Blob> sleeping = Connect().SleepAsync(new global::Tests.V1.SleepRequest { Ms = 600_000 }, cancellationToken: Hang);
        await both.RequestStream.WriteAsync(Blob("a"), Hang);
        Assert.True(await both.ResponseStream.MoveNext(Hang));
        await service.SleepBegun.Task.WaitAsync(Hang);
        await app.StopAsync(Hang);
        Assert.Equal(StatusCode.Unavailable, (await FailureOf(async () => await both.ResponseStream.MoveNext(Hang))).StatusCode);
        Assert.Equal(StatusCode.Unavailable, (await FailureOf(async () => await sleeping)).StatusCode);
        await Task.WhenAll(service.SleepCancelled.Task, service.StreamCancelled.Task).WaitAsync(Hang);
    }

    [Theory]
    [InlineData("service {", "no .proto: line 1")]
    [InlineData("service Tests { }", "has no package")]
    [InlineData("package a.v1; message M { }", "has no service")]
    [InlineData("package a.v1; service A { } service B { }", "the services A, B")]
    public void WhatIsNoContractIsRefused(string proto, string why)
    {
        using WebApplication app = Application();
        ArgumentException refused = Assert.Throws<ArgumentException>(() => app.MapIpcService(Name, proto));
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData(".hidden")]
    [InlineData("a/b")]
    public void AServerThatCannotBeIsRefused(string server)
    {
        using WebApplication app = Application();
        ArgumentException refused = Assert.Throws<ArgumentException>(() => app.MapIpcService<ITests>(server));
        Assert.Contains($"\"{server}\" is no server's name", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AServiceIsMappedOnce()
    {
        using WebApplication app = Application();
        app.MapIpcService<ITests>(Name);
        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => app.MapIpcService<ITests>("another"));
        Assert.Contains("tests.v1.Tests has been mapped already", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AnInterfaceThatIsNoContractIsRefused()
    {
        using WebApplication app = Application();
        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => app.MapIpcService<IDisposable>(Name));
        Assert.Contains("QuotesRpc.Proto", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WithoutItsServicesNothingIsMapped()
    {
        using WebApplication app = WebApplication.CreateSlimBuilder().Build();
        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => app.MapIpcService<ITests>(Name));
        Assert.Contains("AddIpcGrpc()", refused.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => app.MapIpcReflection());
    }

    private static WebApplication Application()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddIpcGrpc();
        return builder.Build();
    }
}
