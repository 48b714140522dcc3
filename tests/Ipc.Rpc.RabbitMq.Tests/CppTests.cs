using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>The other language at the same broker: <c>ipc/rpc/amqp.hpp</c>.</summary>
public sealed class CppTests(BrokerProcess broker) : RabbitMqTest(broker)
{
    /// <summary>The verbs check what comes back.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ClientsInCppCallServersInBothLanguages(bool isCpp)
    {
        Cpp.Require();
        using OtherProcess? server = isCpp ? Cpp.Server(Address) : null;
        if (!isCpp)
            await ServeAsync(TestsRpc.Service(new ManagedTests()));
        foreach (string[] words in new string[][] { ["call", Address, "300"], ["streams", Address, "2000"], ["long", Address, "3000000"], ["extras", Address, isCpp ? "1" : "0"], ["many", Address, "500"] })
            Cpp.Run(words);
        Assert.Contains("tests.v1/Mirror", Cpp.Run("list", Address), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ClientsInCSharpCallServersInCpp()
    {
        Cpp.Require();
        using OtherProcess server = Cpp.Server(Address);
        RabbitMqClient client = await ConnectAsync();
        ITests tests = client.For<ITests>();
        foreach (int size in new[] { 0, 1, 1000, 100_000, 5_000_000 })
        {
            byte[] data = [.. Enumerable.Range(0, size).Select(static i => (byte)(i * 31))];
            Assert.Equal(data, tests.Echo(new Blob { Data = data }).Data);
        }

        int items = 0;
        await foreach (Blob item in tests.Count(new CountRequest { Count = 3000, Size = 700 }, Cancel)) // more than a window, in both measures
            Assert.Equal(700, (items++, item.Data.Length).Length);
        Assert.Equal(3000, items);
        Assert.Equal("2000 1400000", Text(await tests.CollectAsync(new CountRequest(), Blobs(2000, 700), Cancel)));
        Assert.Equal("3 2100", Text(await tests.CollectAsync(new CountRequest { Count = 3 }, Blobs(int.MaxValue, 700), Cancel)));
        int mirrored = 0;
        await foreach (Blob item in tests.Mirror(new CountRequest(), Blobs(1500, 900), Cancel))
            mirrored++;
        Assert.Equal(1500, mirrored);
        await FailsAsync(RpcStatus.OutOfRange, async () =>
        {
            await foreach (Blob item in tests.Mirror(new CountRequest(), Blobs(2, 13), Cancel))
            {
            }
        });
        IReadOnlyList<RpcMethodInfo> methods = await RpcReflection.ListAsync(client.Caller, Cancel);
        Assert.Contains(methods, static method => method.FullName == "tests.v1/Count" && method.Kind == RpcMethodKind.ServerStream);
    }

    [Fact]
    public async Task ErrorsMetadataDeadlinesAndCancellationsPass()
    {
        Cpp.Require();
        using OtherProcess server = Cpp.Server(Address);
        RabbitMqClient client = await ConnectAsync();
        ITests tests = client.For<ITests>();
        for (int code = 1; code <= 16; code++)
        {
            RpcCallException failure = Assert.Throws<RpcCallException>(() => tests.FailWith(new FailRequest { Status = code, Text = $"ä {code}" }));
            Assert.Equal(((RpcStatus)code, $"ä {code}"), (failure.Status, failure.Message));
            Assert.Equal("tests.v1.Blob", Assert.Single(failure.Details).TypeUrl.Split('/')[^1]);
        }

        RpcMetadata sent = new() { { "color", "blue" }, { "color", "red" } };
        RpcMetadata? answered = null;
        client.Caller.With(sent).WithAnswer(metadata => answered = metadata).For<ITests>().Labels(new Blob { Data = [] });
        Assert.Equal(["blue", "red"], answered!.Where(static pair => pair.Key == "color").Select(static pair => Encoding.UTF8.GetString(pair.Value.Span)));

        string left = Text(client.Caller.WithTimeout(TimeSpan.FromSeconds(50)).For<ITests>().Remaining(new Blob { Data = [] }));
        Assert.InRange(int.Parse(left, CultureInfo.InvariantCulture), 30_000, 50_000);
        await FailsAsync(RpcStatus.DeadlineExceeded, () => client.Caller.WithTimeout(TimeSpan.FromMilliseconds(200)).For<ITests>().SleepAsync(new SleepRequest { Ms = 60_000 }, Cancel));
        for (int i = 0; i < 20; i++) // more than the server has in hand at once: each handler must have ended
        {
            using CancellationTokenSource source = new(20);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => tests.SleepAsync(new SleepRequest { Ms = 60_000 }, source.Token));
        }

        await FailsAsync(RpcStatus.Unimplemented, () => client.Caller.CallAsync(new RpcMethod<RpcEmpty, RpcEmpty>("tests.v1", "What", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec), default, Cancel).AsTask());
        Assert.Equal([1], tests.Echo(new Blob { Data = [1] }).Data);
    }

    [Fact]
    public async Task OneWayCallsArriveAndThoseThatFailAreSetAside()
    {
        Cpp.Require();
        using OtherProcess server = Cpp.Server(Address);
        RabbitMqClient client = await ConnectAsync();
        ITests tests = client.For<ITests>();
        for (int i = 0; i < 100; i++)
            tests.Note(new Blob { Data = [1] });
        Watchdog.Until(() => Text(tests.Noted(new Blob { Data = [] })) == "100", "all notes");
        RpcMethod<byte[], RpcEmpty> damaged = new("tests.v1", "Note", RpcMethodKind.Unary, Wire.Bytes, RpcEmpty.Codec, isOneWay: true);
        client.Caller.Notify(damaged, [10, 200, 1]);
        Assert.StartsWith("dead: failed: InvalidArgument: The request for tests.v1/Note could not be decoded", server.NextLine(), StringComparison.Ordinal);
        server.CloseInput();
        Assert.Equal("dead letters 1", server.NextLine());
        Assert.Equal(0, server.WaitForExit());
    }

    /// <summary>Nobody but the broker knows of these: what it has not been told is done comes again, and is poison at last.</summary>
    [Fact]
    public async Task WhatKillsItsServersIsPoison()
    {
        Cpp.Require();
        RabbitMqClientOptions options = ClientOptions;
        options.WaitForReady = true; // else it ends when nobody is there for two seconds
        OtherProcess server = Cpp.Server(Address, "deliveries", "3");
        string first = "";
        try
        {
            Task<Blob> call = (await ConnectAsync(options)).For<ITests>().SleepAsync(new SleepRequest { Ms = 60_000 }, Cancel);
            for (int kills = 0; await Task.WhenAny(call, Task.Delay(150, Cancel)) != call; kills++) // until it has it in hand
            {
                Assert.True(kills < 50, "it comes for ever");
                server.Kill();
                server.Dispose();
                server = Cpp.Serves(Address, "deliveries", "3");
                first = server.NextLine(); // what waits in the queue may come before it says that it is ready
            }

            RpcCallException failure = await FailsAsync(RpcStatus.Aborted, () => call);
            Assert.Contains("poison", first == "ready" ? server.NextLine() : first, StringComparison.Ordinal);
            Assert.Contains(".dead", failure.Message, StringComparison.Ordinal);
        }
        finally
        {
            server.Dispose();
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AStreamWhoseServerIsKilledEnds(bool isCppClient)
    {
        Cpp.Require();
        using OtherProcess server = Cpp.Server(Address);
        if (isCppClient)
        {
            using OtherProcess client = Cpp.Client("hold", Address, "4000").WaitUntilReady();
            server.Kill();
            Assert.StartsWith("Unavailable: The stream's server, or its connection", client.NextLine(), StringComparison.Ordinal);
            Assert.Equal(0, client.WaitForExit());
            return;
        }

        ClientOptions.StreamLease = TimeSpan.FromSeconds(4);
        await using IAsyncEnumerator<Blob> items = (await ConnectAsync()).For<ITests>().Count(new CountRequest { Count = int.MaxValue, Size = 10 }, Cancel).GetAsyncEnumerator(Cancel);
        Assert.True(await items.MoveNextAsync());
        server.Kill();
        RpcCallException failure = await FailsAsync(RpcStatus.Unavailable, async () =>
        {
            while (await items.MoveNextAsync())
            {
            }
        });
        Assert.False(failure.IsUnsent);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AStreamWhoseServerStopsSaysSo(bool isCppServer)
    {
        Cpp.Require();
        using OtherProcess? server = isCppServer ? Cpp.Server(Address) : null;
        RabbitMqServer? managed = isCppServer ? null : await ServeAsync(TestsRpc.Service(new ManagedTests()));
        using OtherProcess client = Cpp.Client("hold", Address, "4000").WaitUntilReady();
        server?.CloseInput();
        await (managed?.StopAsync(TimeSpan.FromMilliseconds(100), Cancel) ?? Task.CompletedTask);
        Assert.StartsWith("Unavailable: The stream's server has stopped.", client.NextLine(), StringComparison.Ordinal);
        Assert.Equal(0, client.WaitForExit());
        Assert.Equal(0, server?.WaitForExit() ?? 0);
    }

    [Fact]
    public async Task AStreamWhoseClientIsStoppedEndsAtItsServer()
    {
        Cpp.Require();
        ManagedTests service = new();
        await ServeAsync(TestsRpc.Service(service));
        using OtherProcess client = Cpp.Client("hold", Address, "3000").WaitUntilReady();
        using (client.Stop())
            await service.CountEnded.Task.WaitAsync(Patience, Cancel);
        Assert.Matches("^Unavailable: (The stream is not there any more|Nothing was heard of the stream.s client)", client.NextLine()); // whichever comes first
    }

    /// <summary>The client is there first: with wait_for_ready its calls, streams and one-way calls wait.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AClientThatWaitsWaitsForAServer(bool hasQueue)
    {
        Cpp.Require();
        if (hasQueue)
            await (await ServeAsync(TestsRpc.Service(new ManagedTests()))).DisposeAsync();
        using OtherProcess client = Cpp.Client("wait", Address).WaitUntilReady();
        await Task.Delay(400, Cancel); // it asks now and then
        Assert.False(client.HasEnded);
        using OtherProcess server = Cpp.Server(Address);
        Assert.Equal("waited", client.NextLine());
        Assert.Equal(0, client.WaitForExit());
    }

    /// <summary>The broker says how much it takes by ending the connection; from then on both ends know.</summary>
    [Fact]
    public async Task WhatIsLargerThanTheBrokerTakesEndsItsConnectionOnce()
    {
        Cpp.Require();
        await HaveBrokerAloneAsync();
        using OtherProcess server = Cpp.Server(Address);
        Broker.Evaluate("application:set_env(rabbit, max_message_size, 100000)."); // of channels that are opened from now on
        try
        {
            Assert.Equal("Unavailable: known, ResourceExhausted unsent: the broker takes at most 100000", Cpp.Run("large", Address, "200000"));
            Assert.Equal("one", Cpp.Run("fail", Address));
        }
        finally
        {
            Broker.Evaluate("application:set_env(rabbit, max_message_size, 134217728).");
        }
    }

    /// <summary>Its calls go on: what sends must not wait for what does not come.</summary>
    [Fact]
    public async Task ANetworkThatIsSilentForLongerThanTheHeartbeatIsGivenUp()
    {
        Cpp.Require();
        await ServeAsync(TestsRpc.Service(new ManagedTests()));
        using BadNetwork network = new(Broker.EndPoint);
        using OtherProcess client = Cpp.Client("until-lost", AddressAt(network.Port)).WaitUntilReady();
        network.Hold();
        Assert.Equal("Unavailable", client.NextLine());
        network.LetGo();
        Assert.Equal(0, client.WaitForExit());
    }

    [Fact]
    public async Task WhatCannotBeEndsTyped()
    {
        Cpp.Require();
        Assert.Matches("^Unavailable unsent: There is no queue ipc." + Service, Cpp.Run("fail", Address));
        Assert.Matches("^Unavailable: There is no connection to the broker 127.0.0.1:1, ", Cpp.Run("fail", AddressAt(1)));
        Assert.Matches("^Unauthenticated: .*ACCESS_REFUSED", Cpp.Run("fail", AddressAt(Broker.Port, "guest:wrong")));
        Assert.Matches("^Unauthenticated: ", Cpp.Run("fail", AddressAt(Broker.Port, host: "nowhere")));
        Assert.DoesNotContain("secret", Cpp.Run("fail", AddressAt(1, "me:secret")), StringComparison.Ordinal);
        Assert.Matches("^InvalidArgument: The address of a service at a broker is ", Cpp.Run("fail", "amqp://127.0.0.1"));
        RabbitMqServer server = await ServeAsync(TestsRpc.Service(new ManagedTests()));
        Assert.Equal("one", Cpp.Run("fail", Address));
        await server.StopAsync(Patience, Cancel);
        Assert.Matches("^Unavailable unsent: Nobody consumes the queue ipc." + Service, Cpp.Run("fail", Address));
    }

    [Fact]
    public void ACallThatWasNotSentByItsDeadlineSaysSo()
    {
        Cpp.Require();
        Assert.Matches("^DeadlineExceeded unsent: The deadline passed before the call was sent: There is no connection to the broker 127.0.0.1:1, ", Cpp.Run("late", AddressAt(1)));
    }

    private static string Text(Blob blob) => Encoding.UTF8.GetString(blob.Data);

    private static async IAsyncEnumerable<Blob> Blobs(int count, int size)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return new Blob { Data = new byte[size] };
        }
    }
}
