using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Ipc.AspNetCore.Peer;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>Interceptors of both sides see every kind of call (<see cref="Stamping"/> is the server's).</summary>
public sealed class InterceptorTests : ServerTest
{
    [Fact]
    public async Task BothSidesInterceptEveryKindOfCall()
    {
        await ServeAsync();
        Noting noting = new();
        var client = new Echo.EchoClient(Channel().Intercept(noting).Intercept(static headers =>
        {
            headers.Add("stamp", "red");
            return headers;
        }));
        var parcel = new Parcel { Number = 7, Data = ByteString.CopyFromUtf8("seven") };

        using AsyncUnaryCall<Parcel> unary = client.UnaryAsync(parcel, cancellationToken: Hang);
        Assert.Equal(parcel, await unary);
        Assert.Equal("unary red", unary.GetTrailers().GetValue("stamped"));

        using AsyncServerStreamingCall<Parcel> down = client.Down(new Order { Count = 3 }, cancellationToken: Hang);
        Assert.Equal([0, 1, 2], await down.ResponseStream.ReadAllAsync(Hang).Select(static one => one.Number).ToListAsync(Hang));
        Assert.Equal("down red", down.GetTrailers().GetValue("stamped"));

        using AsyncClientStreamingCall<Parcel, Order> up = client.Up(cancellationToken: Hang);
        await up.RequestStream.WriteAsync(parcel, Hang);
        await up.RequestStream.CompleteAsync();
        Assert.Equal(new Order { Count = 1, Size = 5 }, await up);
        Assert.Equal("up red", up.GetTrailers().GetValue("stamped"));

        using AsyncDuplexStreamingCall<Parcel, Parcel> both = client.Both(cancellationToken: Hang);
        await both.RequestStream.WriteAsync(parcel, Hang);
        Assert.True(await both.ResponseStream.MoveNext(Hang));
        Assert.Equal(parcel, both.ResponseStream.Current);
        await both.RequestStream.CompleteAsync();
        Assert.False(await both.ResponseStream.MoveNext(Hang));
        Assert.Equal("both red", both.GetTrailers().GetValue("stamped"));

        Assert.Equal(["/ipc.test.Echo/Unary", "/ipc.test.Echo/Down", "/ipc.test.Echo/Up", "/ipc.test.Echo/Both"], noting.Methods);
    }

    [Fact]
    public async Task WhatAnInterceptorOfTheServerThrowsIsTheClientsStatus()
    {
        await ServeAsync();
        var client = new Echo.EchoClient(Channel().Intercept(static headers =>
        {
            headers.Add("stamp", "forged");
            return headers;
        }));
        RpcException error = await Assert.ThrowsAsync<RpcException>(async () => await client.UnaryAsync(new Parcel(), cancellationToken: Hang));
        Assert.Equal((StatusCode.PermissionDenied, "a forged stamp"), (error.StatusCode, error.Status.Detail));
        using AsyncServerStreamingCall<Parcel> down = client.Down(new Order { Count = 3 }, cancellationToken: Hang);
        error = await Assert.ThrowsAsync<RpcException>(() => down.ResponseStream.MoveNext(Hang));
        Assert.Equal(StatusCode.PermissionDenied, error.StatusCode);
    }

    private sealed class Noting : Interceptor
    {
        public List<string> Methods { get; } = [];

        public override AsyncUnaryCall<TResponse> AsyncUnaryCall<TRequest, TResponse>(
            TRequest request, ClientInterceptorContext<TRequest, TResponse> context, AsyncUnaryCallContinuation<TRequest, TResponse> continuation)
        {
            Methods.Add(context.Method.FullName);
            return continuation(request, context);
        }

        public override AsyncServerStreamingCall<TResponse> AsyncServerStreamingCall<TRequest, TResponse>(
            TRequest request, ClientInterceptorContext<TRequest, TResponse> context, AsyncServerStreamingCallContinuation<TRequest, TResponse> continuation)
        {
            Methods.Add(context.Method.FullName);
            return continuation(request, context);
        }

        public override AsyncClientStreamingCall<TRequest, TResponse> AsyncClientStreamingCall<TRequest, TResponse>(
            ClientInterceptorContext<TRequest, TResponse> context, AsyncClientStreamingCallContinuation<TRequest, TResponse> continuation)
        {
            Methods.Add(context.Method.FullName);
            return continuation(context);
        }

        public override AsyncDuplexStreamingCall<TRequest, TResponse> AsyncDuplexStreamingCall<TRequest, TResponse>(
            ClientInterceptorContext<TRequest, TResponse> context, AsyncDuplexStreamingCallContinuation<TRequest, TResponse> continuation)
        {
            Methods.Add(context.Method.FullName);
            return continuation(context);
        }
    }
}
