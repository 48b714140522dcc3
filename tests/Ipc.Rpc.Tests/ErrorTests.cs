using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Every failure has its status and names what happened; the connection lives on unless the test says otherwise.</summary>
public sealed class ErrorTests
{
    [Fact]
    public void AnExceptionOfTheHandlerComesWithItsTypeAndText()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        RpcCallException e = Assert.Throws<RpcCallException>(() => service.Throw("argument"));
        Assert.Equal(RpcStatus.Unknown, e.Status);
        Assert.Equal("System.ArgumentException", e.RemoteType);
        Assert.Contains("the argument is bad", e.Message, StringComparison.Ordinal);

        Lives(service);
    }

    [Theory]
    [InlineData(RpcStatus.NotFound)]
    [InlineData(RpcStatus.PermissionDenied)]
    [InlineData(RpcStatus.FailedPrecondition)]
    [InlineData(RpcStatus.Unauthenticated)]
    public void AHandlerChoosesTheStatus(RpcStatus status)
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        RpcCallException e = Assert.Throws<RpcCallException>(() => service.Throw(status.ToString()));
        Assert.Equal(status, e.Status);
        Assert.Equal("chosen: " + status, e.Message);
        Assert.Null(e.RemoteType);
        Lives(service);
    }

    [Fact]
    public void TextsThatCannotBeSentAsTheyAreAreRepairedAndCut()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToClientCapacity = 4096 });
        ITestService service = TestServiceRpc.Client(client);
        Assert.Equal("half a pair: \ufffd", Assert.Throws<RpcCallException>(() => service.Throw("surrogate")).Message);
        string text = Assert.Throws<RpcCallException>(() => service.Throw("long")).Message;
        Assert.InRange(text.Length, 1000, 4000);
        Lives(service);
    }

    [Fact]
    public void ACancellationThatTheCallerDidNotAskForIsTheHandlersFailure()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        RpcCallException e = Assert.Throws<RpcCallException>(() => TestServiceRpc.Client(client).Throw("cancelled"));
        Assert.Equal(RpcStatus.Unknown, e.Status);
        Assert.Equal("System.OperationCanceledException", e.RemoteType);
    }

    [Fact]
    public void AnUnknownMethodIsToldWhatThereIs()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        var missing = new RpcMethod<Message, Message>("other.v1", "Echo", RpcMethodKind.Unary, TestServiceRpc.Echo.Request, TestServiceRpc.Echo.Response);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(missing, new Message()));
        Assert.Equal(RpcStatus.Unimplemented, e.Status);
        Assert.Equal(("other.v1", "Echo"), (e.Service, e.Method)); // which the server cannot know: a request carries a number
        Assert.StartsWith($"The server \"{server.Name}\" has no such method. It has ", e.Message, StringComparison.Ordinal);
        Assert.Contains("test.v1: Add, Blob, ", e.Message, StringComparison.Ordinal);
        Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public void AnotherVersionOfAServiceIsNamedFirst()
    {
        string name = TestServer.NewName();
        var earlier = new RpcService("aaa.v1", new[] { RpcHandler.Unary(new RpcMethod<RpcEmpty, RpcEmpty>("aaa.v1", "Do", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec), static (_, _) => default) });
        using RpcServer server = RpcServer.Start(name, earlier, TestServiceRpc.Service(new TestService()));
        using RpcClient client = RpcClient.Connect(name);
        var missing = new RpcMethod<Message, Message>("test.v2", "Echo", RpcMethodKind.Unary, TestServiceRpc.Echo.Request, TestServiceRpc.Echo.Response);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(missing, new Message()));
        Assert.Equal(RpcStatus.Unimplemented, e.Status);
        Assert.Contains("no test.v2/Echo", e.Message, StringComparison.Ordinal);
        Assert.Contains("It has test.v1: Add, ", e.Message, StringComparison.Ordinal);
        Assert.Contains("; aaa.v1: Do", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AMethodCalledAsAnotherKindIsRefused()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        var unary = new RpcMethod<CountRequestStandIn, int>("test.v1", "Count", RpcMethodKind.Unary, CountRequestStandIn.Codec, AddResponse);
        Assert.Equal(RpcStatus.Unimplemented, Assert.Throws<RpcCallException>(() => client.Call(unary, default)).Status);

        var stream = new RpcMethod<CountRequestStandIn, int>("test.v1", "Add", RpcMethodKind.ServerStream, CountRequestStandIn.Codec, AddResponse);
        await using var items = client.Stream(stream, default).GetAsyncEnumerator();
        Assert.Equal(RpcStatus.Unimplemented, (await Eventually.Fails(items.MoveNextAsync().AsTask())).Status);
        Assert.Throws<ArgumentException>(() => client.Stream(unary, default));
        Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public void ARequestThatCannotBeDecodedIsAnInvalidArgument()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        var garbage = new MessageCodec<int>("Garbage", static (ref ProtoWriter writer, in int _) => writer.WriteBytes((3 << 3) | 2, new byte[] { 0xff, 0xfe }), static (ref ProtoReader _) => 0);
        var method = new RpcMethod<int, Message>("test.v1", "Echo", RpcMethodKind.Unary, garbage, TestServiceRpc.Echo.Response);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(method, 0));
        Assert.Equal(RpcStatus.InvalidArgument, e.Status);
        Assert.Contains("test.v1/Echo", e.Message, StringComparison.Ordinal);
        Assert.Contains("at byte", e.Message, StringComparison.Ordinal);
        Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public void AResponseThatCannotBeDecodedFailsItsCallOnly()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        var picky = new MessageCodec<Message>("Picky", static (ref ProtoWriter _, in Message _) => { }, static (ref ProtoReader _) => throw new FormatException("not to my taste"));
        var method = new RpcMethod<Message, Message>("test.v1", "Echo", RpcMethodKind.Unary, TestServiceRpc.Echo.Request, picky);
        RpcCallException e = Assert.Throws<RpcCallException>(() => client.Call(method, new Message { Number = 1 }));
        Assert.Equal(RpcStatus.Internal, e.Status);
        Assert.Contains("not to my taste", e.Message, StringComparison.Ordinal);
        Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public void WhatCannotBeEncodedIsNotSent()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        Assert.Equal(RpcStatus.InvalidArgument, Assert.Throws<RpcCallException>(() => service.Echo(new Message { Text = "\ud800" })).Status);
        Lives(service);
    }

    [Fact]
    public void AResponseThatCannotBeEncodedIsAnInternalError()
    {
        string name = TestServer.NewName();
        using RpcServer server = RpcServer.Start(name, new RpcService("test.v1", new[] { RpcHandler.Unary(TestServiceRpc.Echo, static (_, _) => new Message { Text = "\ud800" }) }));
        using RpcClient client = RpcClient.Connect(name);
        for (int i = 0; i < 3; i++)
            Assert.Equal(RpcStatus.Internal, Assert.Throws<RpcCallException>(() => TestServiceRpc.Client(client).Echo(default)).Status);
    }

    [Fact]
    public void TooLargeMessagesAreRefusedWithBothNumbers()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { ToClientCapacity = 16 * 1024, ToServerCapacity = 8 * 1024, LoanBudget = 0 });
        ITestService service = TestServiceRpc.Client(client);
        RpcCallException request = Assert.Throws<RpcCallException>(() => service.Echo(new Message { Text = new string('x', 10_000) }));
        Assert.Equal(RpcStatus.ResourceExhausted, request.Status);
        Assert.Contains((24 + 3 + 10_000).ToString(), request.Message, StringComparison.Ordinal);
        Assert.Contains((4096 - 8).ToString(), request.Message, StringComparison.Ordinal);
        Lives(service);

        RpcCallException response = Assert.Throws<RpcCallException>(() => service.Blob(20_000));
        Assert.Equal(RpcStatus.ResourceExhausted, response.Status);
        Assert.Contains((24 + 4 + 20_000).ToString(), response.Message, StringComparison.Ordinal);
        Assert.Contains((8192 - 8).ToString(), response.Message, StringComparison.Ordinal);
        Lives(service);
    }

    [Fact]
    public async Task MoreCallsThanMayBePendingAreRefused()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect(new RpcClientOptions { MaxPendingCalls = 20 });
        ITestService service = TestServiceRpc.Client(client);
        var held = new Task<int>[20];
        for (int i = 0; i < held.Length; i++)
            held[i] = service.WaitAsync("full").AsTask();
        RpcCallException e = await Eventually.Fails(Task.Run(() => service.Add(1, 1)));
        Assert.Equal(RpcStatus.ResourceExhausted, e.Status);
        server.Service.GateOf("full").Opened.Set();
        await Eventually.Ends(Task.WhenAll(held));
        Lives(service);
    }

    [Fact]
    public async Task MoreCallsThanTheServerAllowsAreRefused()
    {
        using var server = new TestServer(new RpcServerOptions { MaxPendingCalls = 3 });
        using RpcClient client = server.Connect();
        ITestService service = TestServiceRpc.Client(client);
        Task<int>[] held = { service.WaitAsync("few").AsTask(), service.WaitAsync("few").AsTask(), service.WaitAsync("few").AsTask() };
        Gate gate = server.Service.GateOf("few");
        Eventually.True(() => gate.Entered == 3, "three calls wait");
        Assert.Equal(RpcStatus.ResourceExhausted, (await Eventually.Fails(service.WaitAsync("few").AsTask())).Status);
        gate.Opened.Set();
        await Eventually.Ends(Task.WhenAll(held));
        Lives(service);
    }

    [Fact]
    public void WithoutAServerConnectingFailsAfterItsTimeout()
    {
        string name = TestServer.NewName();
        RpcCallException e = Assert.Throws<RpcCallException>(() => RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = TimeSpan.FromMilliseconds(50) }));
        Assert.Equal(RpcStatus.Unavailable, e.Status);
        Assert.Contains(name, e.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a/b")]
    [InlineData(".hidden")]
    [InlineData("")]
    public void AnInvalidNameIsRefusedWhereItIsUsed(string name)
    {
        Assert.Equal(IpcStatus.InvalidName, Assert.Throws<IpcException>(() => RpcClient.Connect(name)).Status);
        Assert.Equal(IpcStatus.InvalidName, Assert.Throws<IpcException>(() => RpcServer.Open(name)).Status);
    }

    [Fact]
    public void ALargerRingThanTheServerTakesIsRefusedWithBothNumbers()
    {
        using var server = new TestServer(new RpcServerOptions { MaxRingCapacity = 1 << 20 });
        RpcCallException e = Assert.Throws<RpcCallException>(() => server.Connect(new RpcClientOptions { ToClientCapacity = 2 << 20 }));
        Assert.Equal(RpcStatus.Unauthenticated, e.Status);
        Assert.Contains((2 << 20).ToString(), e.Message, StringComparison.Ordinal);
        Assert.Contains((1 << 20).ToString(), e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AClientThatIsFirstWaitsForItsServer()
    {
        string name = TestServer.NewName();
        Task<RpcClient> connecting = Task.Run(() => RpcClient.Connect(name, new RpcClientOptions { ConnectTimeout = Eventually.Watchdog }));
        using RpcServer server = RpcServer.Open(name);
        server.Add(TestServiceRpc.Service(new TestService())).Start();
        using RpcClient client = await Eventually.Ends(connecting);
        Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public async Task WaitingForAServerCanBeCancelled()
    {
        using var cancel = new CancellationTokenSource();
        Task<RpcClient> connecting = Task.Run(() => RpcClient.Connect(TestServer.NewName(), new RpcClientOptions { ConnectTimeout = Eventually.Watchdog }, cancel.Token));
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Eventually.Ends(connecting));
    }

    [Fact]
    public void AServerRefusesAClientWithItsReason()
    {
        byte[] seen = Array.Empty<byte>();
        uint? user = null;
        using var server = new TestServer(new RpcServerOptions
        {
            Accept = peer =>
            {
                user = peer.UserId;
                seen = peer.Hello.ToArray();
                return seen.Length == 3 ? null : "three bytes are wanted";
            },
        });
        RpcCallException e = Assert.Throws<RpcCallException>(() => server.Connect());
        Assert.Equal(RpcStatus.Unauthenticated, e.Status);
        Assert.Contains("three bytes are wanted", e.Message, StringComparison.Ordinal);

        using RpcClient client = server.Connect(new RpcClientOptions { Hello = new byte[] { 1, 2, 3 } });
        Assert.Equal(new byte[] { 1, 2, 3 }, seen);
        Assert.Equal(RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? null : ThisUser(), user);
        Lives(TestServiceRpc.Client(client));
    }

    private static uint? ThisUser()
    {
        string[] ids = File.ReadLines("/proc/self/status").First(static line => line.StartsWith("Uid:", StringComparison.Ordinal)).Split('\t');
        return uint.Parse(ids[2], CultureInfo.InvariantCulture); // the effective one
    }

    [Fact]
    public void TwoServersOfOneNameAreOneTooMany()
    {
        using var server = new TestServer();
        IpcException e = Assert.Throws<IpcException>(() => RpcServer.Open(server.Name));
        Assert.Equal(IpcStatus.InUse, e.Status);
        using RpcClient client = server.Connect();
        Lives(TestServiceRpc.Client(client));
    }

    [Fact]
    public void TwoMethodsOfOneNameAreRefusedWhenAdded()
    {
        using RpcServer server = RpcServer.Open(TestServer.NewName());
        server.Add(TestServiceRpc.Service(new TestService()));
        Assert.Throws<ArgumentException>(() => server.Add(TestServiceRpc.Service(new TestService())));
    }

    internal static void Lives(ITestService service) => Assert.Equal(5, service.Add(2, 3));

    private static MessageCodec<int> AddResponse => TestServiceRpc.Add.Response;

    /// <summary>A message whose bytes do not matter.</summary>
    private readonly struct CountRequestStandIn
    {
        public static MessageCodec<CountRequestStandIn> Codec { get; } = new("Any", static (ref ProtoWriter _, in CountRequestStandIn _) => { }, static (ref ProtoReader _) => default);
    }
}
