using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Health.V1;
using Grpc.Net.Client;
using Grpc.Reflection.V1Alpha;
using Ipc.AspNetCore.Peer;
using Ipc.Testing.Drive;
using ProtoBuf.Grpc.Client;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>Services and clients of gRPC that know nothing of shared memory.</summary>
public sealed class GrpcTests : ServerTest
{
    [Fact]
    public async Task EveryKindOfCallWorks()
    {
        await ServeAsync();
        var client = new Echo.EchoClient(Channel());
        var parcel = new Parcel { Number = 7, Data = ByteString.CopyFromUtf8("seven") };
        Assert.Equal(parcel, await client.UnaryAsync(parcel, cancellationToken: Hang));
        Assert.Equal(parcel, client.Unary(parcel, cancellationToken: Hang));

        using AsyncServerStreamingCall<Parcel> down = client.Down(new Order { Count = 1000, Size = 100 }, cancellationToken: Hang);
        Assert.Equal(Enumerable.Range(0, 1000), await down.ResponseStream.ReadAllAsync(Hang).Select(static one => one.Number).ToListAsync(Hang));

        using AsyncClientStreamingCall<Parcel, Order> up = client.Up(cancellationToken: Hang);
        for (int i = 0; i < 1000; i++)
            await up.RequestStream.WriteAsync(parcel, Hang);
        await up.RequestStream.CompleteAsync();
        Assert.Equal(new Order { Count = 1000, Size = 5000 }, await up);

        using AsyncDuplexStreamingCall<Parcel, Parcel> both = client.Both(cancellationToken: Hang);
        for (int i = 0; i < 200; i++)
        {
            await both.RequestStream.WriteAsync(new Parcel { Number = i }, Hang);
            Assert.True(await both.ResponseStream.MoveNext(Hang));
            Assert.Equal(i, both.ResponseStream.Current.Number);
        }

        await both.RequestStream.CompleteAsync();
        Assert.False(await both.ResponseStream.MoveNext(Hang));
    }

    [Fact]
    public async Task StatusesDeadlinesAndCancellationTravel()
    {
        await ServeAsync();
        var client = new Echo.EchoClient(Channel());
        RpcException error = await Assert.ThrowsAsync<RpcException>(async () => await client.UnaryAsync(new Parcel { Number = -1 }));
        Assert.Equal((StatusCode.InvalidArgument, "not below zero"), (error.StatusCode, error.Status.Detail));

        error = await Assert.ThrowsAsync<RpcException>(async () => await client.WaitAsync(new Order(), deadline: DateTime.UtcNow.AddMilliseconds(50)));
        Assert.Equal(StatusCode.DeadlineExceeded, error.StatusCode);

        int before = EchoService.Cancelled;
        using CancellationTokenSource cancel = new();
        AsyncUnaryCall<Parcel> call = client.WaitAsync(new Order(), cancellationToken: cancel.Token);
        await client.UnaryAsync(new Parcel(), cancellationToken: Hang);
        await cancel.CancelAsync();
        error = await Assert.ThrowsAsync<RpcException>(async () => await call);
        Assert.Equal(StatusCode.Cancelled, error.StatusCode);
        Watchdog.Until(() => EchoService.Cancelled > before, "the handler to be cancelled");
    }

    [Fact]
    public async Task LargeMessagesAndManyCallsAtOnce()
    {
        await ServeAsync();
        var client = new Echo.EchoClient(Channel());
        byte[] bytes = new byte[20 << 20];
        new Random(1).NextBytes(bytes);
        var large = new Parcel { Data = ByteString.CopyFrom(bytes) };
        Assert.Equal(large, await client.UnaryAsync(large, cancellationToken: Hang));
        Parcel[] answers = await Task.WhenAll(Enumerable.Range(0, 500).Select(i => client.UnaryAsync(new Parcel { Number = i }, cancellationToken: Hang).ResponseAsync));
        Assert.Equal(Enumerable.Range(0, 500), answers.Select(static one => one.Number));
    }

    [Fact]
    public async Task HealthAndReflectionWork()
    {
        await ServeAsync();
        GrpcChannel channel = Channel();
        HealthCheckResponse health = await new Health.HealthClient(channel).CheckAsync(new HealthCheckRequest(), cancellationToken: Hang);
        Assert.Equal(HealthCheckResponse.Types.ServingStatus.Serving, health.Status);
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> asking = new ServerReflection.ServerReflectionClient(channel).ServerReflectionInfo(cancellationToken: Hang);
        await asking.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }, Hang);
        Assert.True(await asking.ResponseStream.MoveNext(Hang));
        IEnumerable<string> services = asking.ResponseStream.Current.ListServicesResponse.Service.Select(static one => one.Name);
        Assert.Contains("ipc.test.Echo", services);
    }

    [Fact]
    public async Task ContractsOfProtobufNetGrpcWork()
    {
        await ServeAsync();
        Sum sum = await Channel().CreateGrpcService<ISums>().AddAsync(new Sum { Left = 1, Right = 2 });
        Assert.Equal(3, sum.Left);
    }

    [Fact]
    public async Task StreamsOfProtobufNetGrpcWork()
    {
        await ServeAsync();
        ISums sums = Channel().CreateGrpcService<ISums>();
        int before = Sums.Cancelled;
        Assert.Equal(Enumerable.Range(5, 1000), await sums.CountAsync(new Sum { Left = 5 }).Take(1000).Select(static one => one.Left).ToListAsync(Hang));
        Watchdog.Until(() => Sums.Cancelled > before, "the endless stream to be cancelled");

        Sum total = await sums.TotalAsync(Enumerable.Range(1, 1000).Select(static i => new Sum { Left = i }).ToAsyncEnumerable());
        Assert.Equal(500_500, total.Left);

        // each answer before the next request
        System.Threading.Channels.Channel<Sum> requests = System.Threading.Channels.Channel.CreateUnbounded<Sum>();
        await using IAsyncEnumerator<Sum> running = sums.RunAsync(requests.Reader.ReadAllAsync(Hang)).GetAsyncEnumerator(Hang);
        for (int i = 1; i <= 100; i++)
        {
            Assert.True(requests.Writer.TryWrite(new Sum { Left = i }));
            Assert.True(await running.MoveNextAsync());
            Assert.Equal(i * (i + 1) / 2, running.Current.Left);
        }

        requests.Writer.Complete();
        Assert.False(await running.MoveNextAsync());
    }

    [Fact]
    public async Task AKilledServerEndsItsCallsAndTheNextOneIsCalled()
    {
        OtherProcess server = Peer();
        var client = new Echo.EchoClient(Channel());
        await client.UnaryAsync(new Parcel(), cancellationToken: Hang);
        AsyncUnaryCall<Parcel> waiting = client.WaitAsync(new Order(), cancellationToken: Hang);
        using AsyncServerStreamingCall<Parcel> endless = client.Down(new Order { Count = int.MaxValue, Size = 1000 }, cancellationToken: Hang);
        Assert.True(await endless.ResponseStream.MoveNext(Hang));
        server.Kill();
        RpcException error = await Assert.ThrowsAsync<RpcException>(async () => await waiting);
        Assert.Contains(error.StatusCode, new[] { StatusCode.Unavailable, StatusCode.Internal });
        Assert.Contains("has died", error.ToString(), StringComparison.Ordinal);
        await Assert.ThrowsAsync<RpcException>(async () =>
        {
            while (await endless.ResponseStream.MoveNext(Hang))
                _ = endless.ResponseStream.Current;
        });
        error = await Assert.ThrowsAsync<RpcException>(async () => await client.UnaryAsync(new Parcel(), cancellationToken: Hang));
        Assert.Equal(StatusCode.Unavailable, error.StatusCode); // nobody is there
        Peer();
        await client.UnaryAsync(new Parcel(), cancellationToken: Hang);
    }
}
