using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Grpc.Core;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Tests.V1;
using Xunit;
using Client = Tests.V1.Tests.TestsClient;
using Interop = Ipc.Rpc.Peer.Interop;

namespace Ipc.Grpc.Tests;

/// <summary>How a call ends is told as the Ipc server tells it; deadlines and cancellation reach its handlers.</summary>
public sealed class StatusTests : GatewayTest
{
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task EveryStatusAndItsTextAndDetailsArrive(Language language)
    {
        Peer(language);
        await StartAsync();
        Client client = Connect();
        for (int code = 1; code <= 16; code++)
        {
            var request = new FailRequest { Status = code, Text = $"status ä {code} 100 %" };
            RpcException error = await FailureOf(async () => await client.FailAsync(request, cancellationToken: Hang));
            Assert.Equal(((StatusCode)code, request.Text), (error.StatusCode, error.Status.Detail));
            Assert.Null(error.Trailers.GetValueBytes("grpc-status-details-bin"));

            error = await FailureOf(async () => await client.FailWithAsync(request, cancellationToken: Hang));
            Assert.Equal(((StatusCode)code, request.Text), (error.StatusCode, error.Status.Detail));
            // google.rpc.Status: 1 code, 2 message, 3 details; here as what has the same fields
            var details = new CodedInputStream(error.Trailers.GetValueBytes("grpc-status-details-bin"));
            Assert.Equal((8u, code), (details.ReadTag(), details.ReadInt32()));
            Assert.Equal((18u, request.Text), (details.ReadTag(), details.ReadString()));
            Assert.Equal(26u, details.ReadTag());
            Any any = new();
            details.ReadMessage(any);
            Assert.Equal(request.Text, Text(any.Unpack<Blob>()));
            Assert.True(details.IsAtEnd);
        }
    }

    /// <summary>The numbers are the same, so that nobody needs a table; here they are held against each other by name.</summary>
    [Fact]
    public void TheStatusesOfBothHaveTheSameNumbers()
    {
        Assert.Equal(System.Enum.GetNames<StatusCode>().Length, System.Enum.GetNames<RpcStatus>().Length);
        Assert.All(System.Enum.GetValues<RpcStatus>(), static status =>
            Assert.Equal(status.ToString().ToUpperInvariant(), ((StatusCode)status).ToString().ToUpperInvariant()));
    }

    [Fact]
    public async Task AnExceptionOfAHandlerIsToldAsOverIpcUnlessItIsNotToBe()
    {
        Own(RpcServer.Start(Name, new RpcService("tests.v1", [Throwing()])));
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().EchoAsync(new Blob(), cancellationToken: Hang));
        Assert.Equal((StatusCode.Unknown, "secret"), (error.StatusCode, error.Status.Detail));
        Assert.Equal("System.InvalidOperationException", error.Trailers.GetValue("ipc-error-type"));

        await StartAsync(static options => options.SendExceptions = false);
        error = await FailureOf(async () => await Connect().EchoAsync(new Blob(), cancellationToken: Hang));
        Assert.Equal((StatusCode.Unknown, "The handler failed."), (error.StatusCode, error.Status.Detail));
        Assert.Empty(Own(error.Trailers));
    }

    [Fact]
    public async Task ATextOfAnyLengthIsCutToWhatClientsTake()
    {
        Serve();
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().FailWithAsync(
            new FailRequest { Status = 9, Text = new string('ä', 5_000) }, cancellationToken: Hang));
        Assert.Equal(StatusCode.FailedPrecondition, error.StatusCode);
        Assert.Equal(new string('ä', 341) + "...", error.Status.Detail); // six characters each, of 2048
        Assert.InRange(error.Trailers.GetValueBytes("grpc-status-details-bin")!.Length, 1, 2048); // and the detail is left out
    }

    [Fact]
    public async Task TheDeadlineReachesTheHandlerAndEndsEveryKindOfCall()
    {
        Interop.ManagedTests service = Serve();
        await StartAsync();
        Client client = Connect();
        int left = int.Parse(Text(await client.RemainingAsync(new Blob(), deadline: DateTime.UtcNow.AddMinutes(10))), System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(left, 1, 600_000);

        RpcException error = await FailureOf(async () => await client.SleepAsync(new SleepRequest { Ms = 60_000 }, deadline: DateTime.UtcNow.AddMilliseconds(200)));
        Assert.Equal(StatusCode.DeadlineExceeded, error.StatusCode);
        await service.SleepCancelled.Task.WaitAsync(Hang);

        using AsyncDuplexStreamingCall<Blob, Blob> both = client.Mirror(deadline: DateTime.UtcNow.AddMilliseconds(200));
        error = await FailureOf(async () => await both.ResponseStream.MoveNext(Hang));
        Assert.Equal(StatusCode.DeadlineExceeded, error.StatusCode);
        await service.StreamCancelled.Task.WaitAsync(Hang);
    }

    [Fact]
    public async Task AStreamsDeadlineReachesItsHandler()
    {
        var seen = new TaskCompletionSource<Deadline>();
        var method = new RpcMethod<Interop.CountRequest, Interop.Blob>("tests.v1", "Count", RpcMethodKind.ServerStream, Interop.TestsRpc.Codecs.CountRequest, Interop.TestsRpc.Codecs.Blob);
        Own(RpcServer.Start(Name, new RpcService("tests.v1", [RpcHandler.ServerStream(method, (_, _) =>
        {
            seen.TrySetResult(RpcContext.Current!.Deadline);
            return AsyncEnumerable.Empty<Interop.Blob>();
        })])));
        await StartAsync();
        using AsyncServerStreamingCall<Blob> down = Connect().Count(new CountRequest(), deadline: DateTime.UtcNow.AddMinutes(10));
        Assert.False(await down.ResponseStream.MoveNext(Hang));
        Assert.InRange((await seen.Task).Remaining, TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(10));
    }

    [Fact]
    public async Task ACancelledCallCancelsItsHandler()
    {
        Interop.ManagedTests service = Serve();
        await StartAsync();
        Client client = Connect();
        using CancellationTokenSource cancel = new();
        AsyncUnaryCall<Blob> sleeping = client.SleepAsync(new SleepRequest { Ms = 60_000 }, cancellationToken: cancel.Token);
        AsyncDuplexStreamingCall<Blob, Blob> mirror = client.Mirror(cancellationToken: cancel.Token);
        await mirror.RequestStream.WriteAsync(Blob("a"), Hang);
        Assert.True(await mirror.ResponseStream.MoveNext(Hang));
        await service.SleepBegun.Task.WaitAsync(Hang);
        await cancel.CancelAsync();
        Assert.Equal(StatusCode.Cancelled, (await FailureOf(async () => await sleeping)).StatusCode);
        await service.SleepCancelled.Task.WaitAsync(Hang);
        await service.StreamCancelled.Task.WaitAsync(Hang);
    }

    /// <summary>Nothing is read or written when it comes: only the token can tell the handler.</summary>
    [Fact]
    public async Task ACancelledStreamThatIsSilentCancelsItsHandler()
    {
        TaskCompletionSource down = new(), both = new(), downEnded = new(), bothEnded = new();
        var count = new RpcMethod<Interop.CountRequest, Interop.Blob>("tests.v1", "Count", RpcMethodKind.ServerStream, Interop.TestsRpc.Codecs.CountRequest, Interop.TestsRpc.Codecs.Blob);
        var mirror = new RpcStreamMethod<Interop.CountRequest, Interop.Blob, Interop.Blob>(
            "tests.v1", "Mirror", RpcMethodKind.Duplex, Interop.TestsRpc.Codecs.CountRequest, Interop.TestsRpc.Codecs.Blob, Interop.TestsRpc.Codecs.Blob);
        Own(RpcServer.Start(Name, new RpcService("tests.v1",
        [
            RpcHandler.ServerStream(count, (_, cancel) => Silent(down, downEnded, cancel)),
            RpcHandler.Duplex(mirror, (_, _, cancel) => Silent(both, bothEnded, cancel)),
        ])));
        await StartAsync();
        Client client = Connect();
        using CancellationTokenSource cancelled = new();
        using AsyncServerStreamingCall<Blob> counting = client.Count(new CountRequest(), cancellationToken: cancelled.Token);
        using AsyncDuplexStreamingCall<Blob, Blob> mirroring = client.Mirror(cancellationToken: cancelled.Token);
        await mirroring.RequestStream.CompleteAsync();
        await Task.WhenAll(down.Task, both.Task).WaitAsync(Hang);
        await cancelled.CancelAsync();
        await Task.WhenAll(downEnded.Task, bothEnded.Task).WaitAsync(Hang);

        static async IAsyncEnumerable<Interop.Blob> Silent(TaskCompletionSource begun, TaskCompletionSource ended, [EnumeratorCancellation] CancellationToken cancel)
        {
            begun.SetResult();
            try
            {
                await Task.Delay(Timeout.Infinite, cancel);
            }
            finally
            {
                ended.SetResult();
            }

            yield break;
        }
    }

    [Fact]
    public async Task AReaderThatLeavesEndsItsStream()
    {
        Interop.ManagedTests service = Serve();
        await StartAsync();
        using (AsyncServerStreamingCall<Blob> endless = Connect().Count(new CountRequest { Count = int.MaxValue, Size = 10 }, cancellationToken: Hang))
            Assert.True(await endless.ResponseStream.MoveNext(Hang));
        await service.CountEnded.Task.WaitAsync(Hang);
    }

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task AStreamThatFailsInTheMiddleFailsThereWithItsStatus(Language language)
    {
        Peer(language);
        await StartAsync();
        using AsyncDuplexStreamingCall<Blob, Blob> both = Connect().Mirror(cancellationToken: Hang);
        await both.RequestStream.WriteAsync(Blob("lucky"), Hang);
        Assert.True(await both.ResponseStream.MoveNext(Hang));
        await both.RequestStream.WriteAsync(Blob("thirteen long"), Hang);
        RpcException error = await FailureOf(async () => await both.ResponseStream.MoveNext(Hang));
        Assert.Equal((StatusCode.OutOfRange, "unlucky"), (error.StatusCode, error.Status.Detail));
    }

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task AKilledServerIsUnavailableAndTheNextOneServes(Language language)
    {
        OtherProcess server = Peer(language);
        await StartAsync();
        Client client = Connect();
        Assert.Equal("a", Text(await client.EchoAsync(Blob("a"), cancellationToken: Hang)));
        AsyncUnaryCall<Blob> sleeping = client.SleepAsync(new SleepRequest { Ms = 600_000 }, cancellationToken: Hang);
        using AsyncDuplexStreamingCall<Blob, Blob> both = client.Mirror(cancellationToken: Hang);
        await both.RequestStream.WriteAsync(Blob("b"), Hang);
        Assert.True(await both.ResponseStream.MoveNext(Hang));
        server.Kill();
        Assert.Equal(StatusCode.Unavailable, (await FailureOf(async () => await sleeping)).StatusCode);
        Assert.Equal(StatusCode.Unavailable, (await FailureOf(async () => await both.ResponseStream.MoveNext(Hang))).StatusCode);
        RpcException nobody = await FailureOf(async () => await client.EchoAsync(Blob("c"), cancellationToken: Hang));
        Assert.Equal(StatusCode.Unavailable, nobody.StatusCode);
        Assert.Contains("tests", nobody.Status.Detail, StringComparison.Ordinal);
        Peer(language);
        Assert.Equal("d", Text(await client.EchoAsync(Blob("d"), cancellationToken: Hang)));
    }

    [Fact]
    public async Task AServerThatRefusesTheGatewaySaysSo()
    {
        Serve(new RpcServerOptions { Accept = static _ => "no gateways" });
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().EchoAsync(new Blob(), cancellationToken: Hang));
        Assert.Equal(StatusCode.Unauthenticated, error.StatusCode);
        Assert.Contains("no gateways", error.Status.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AMethodThatTheServerDoesNotHaveIsUnimplemented()
    {
        Own(RpcServer.Start(Name, new RpcService("tests.v1", [Throwing()])));
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().NotedAsync(new Blob(), cancellationToken: Hang));
        Assert.Equal(StatusCode.Unimplemented, error.StatusCode);
    }

    /// <summary>A client of gRPC cannot be called back.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task AServiceThatCallsBackIsToldThatNobodyIsThere(Language language)
    {
        Peer(language);
        await StartAsync();
        RpcException error = await FailureOf(async () => await Connect().RelayAsync(new CountRequest { Count = 1 }, cancellationToken: Hang));
        Assert.Equal(StatusCode.Unimplemented, error.StatusCode);
    }

    private static RpcHandler Throwing()
    {
        var method = new RpcMethod<Interop.Blob, Interop.Blob>("tests.v1", "Echo", RpcMethodKind.Unary, Interop.TestsRpc.Codecs.Blob, Interop.TestsRpc.Codecs.Blob);
        return RpcHandler.Unary(method, static Interop.Blob (Interop.Blob _) => throw new InvalidOperationException("secret"));
    }
}
