using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Ipc.Testing.Drive;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Tests.V1;
using Xunit;
using Client = Tests.V1.Tests.TestsClient;

namespace Ipc.Grpc.Tests;

/// <summary>Every shape of call, by a client that protoc made, to an Ipc server of either language.</summary>
public sealed class CallTests : GatewayTest
{
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.C)]
    public async Task EveryShapeOfCallReachesAServerOfEitherLanguage(Language language)
    {
        Peer(language);
        await StartAsync();
        Client client = Connect();
        Assert.Equal("abc", Text(await client.EchoAsync(Blob("abc"), cancellationToken: Hang)));
        Assert.Equal("", Text(client.Echo(new Blob(), cancellationToken: Hang)));
        byte[] large = new byte[3 << 20];
        new Random(1).NextBytes(large);
        Assert.Equal(large, (await client.EchoAsync(new Blob { Data = ByteString.CopyFrom(large) }, cancellationToken: Hang)).Data.ToByteArray());

        using AsyncServerStreamingCall<Blob> down = client.Count(new CountRequest { Count = 1000, Size = 100 }, cancellationToken: Hang);
        Assert.Equal(Enumerable.Repeat(100, 1000), await down.ResponseStream.ReadAllAsync(Hang).Select(static item => item.Data.Length).ToListAsync(Hang));

        Assert.Equal("500 1500", await Collect(client, 500, new Metadata()));
        Assert.Equal("5 15", await Collect(client, 20, Parameters(new CountRequest { Count = 5 }))); // answered before the stream has ended

        using AsyncDuplexStreamingCall<Blob, Blob> both = client.Mirror(cancellationToken: Hang);
        for (int i = 0; i < 200; i++)
        {
            await both.RequestStream.WriteAsync(Blob(Number(i)), Hang);
            Assert.True(await both.ResponseStream.MoveNext(Hang));
            Assert.Equal(Number(i), Text(both.ResponseStream.Current));
        }

        await both.RequestStream.CompleteAsync();
        Assert.False(await both.ResponseStream.MoveNext(Hang));

        await client.NoteAsync(Blob("one way"), cancellationToken: Hang);
        Watchdog.Until(() => Text(client.Noted(new Blob(), cancellationToken: Hang)) == "1", "the note");
        Assert.Equal("7", Text(await client.StepsAsync(new CountRequest { Count = 7 }, cancellationToken: Hang))); // its progress has nowhere to go
    }

    [Fact]
    public async Task TheSameContractIsServedOverBothAtOnce()
    {
        Serve();
        await StartAsync();
        using Rpc.RpcClient direct = Rpc.RpcClient.Connect(Name);
        Rpc.Peer.Interop.ITests overIpc = Rpc.Peer.Interop.TestsRpc.Client(direct);
        Client overGrpc = Connect();
        overIpc.Note(new Rpc.Peer.Interop.Blob());
        await overGrpc.NoteAsync(new Blob(), cancellationToken: Hang);
        Watchdog.Until(() => Text(overGrpc.Noted(new Blob(), cancellationToken: Hang)) == "2", "both notes");
        Assert.Equal("2"u8.ToArray(), overIpc.Noted(new Rpc.Peer.Interop.Blob()).Data);
    }

    [Fact]
    public async Task ManyCallsAreUnderWayAtOnce()
    {
        Serve();
        await StartAsync();
        Client client = Connect();
        Blob[] answers = await Task.WhenAll(Enumerable.Range(0, 500).Select(i => client.EchoAsync(Blob(Number(i)), cancellationToken: Hang).ResponseAsync));
        Assert.Equal(Enumerable.Range(0, 500).Select(Number), answers.Select(Text));
    }

    /// <summary>An answer may come while the caller's stream is being read. Nothing reads a request that is over, which would be an error that ASP.NET Core tells in its log.</summary>
    [Fact]
    public async Task AnswersThatComeEarlyLeaveNothingBehind()
    {
        Serve();
        ErrorLog log = new();
        await StartAsync(services: services => services.AddSingleton<ILoggerProvider>(log));
        Client client = Connect();
        for (int i = 0; i < 100; i++)
        {
            using AsyncClientStreamingCall<Blob, Blob> up = client.Collect(Parameters(new CountRequest { Count = 1 }), cancellationToken: Hang);
            await up.RequestStream.WriteAsync(Blob("abc"), Hang);
            Assert.Equal("1 3", Text(await up)); // and the caller's stream never ends

            using AsyncDuplexStreamingCall<Blob, Blob> both = client.Mirror(Parameters(new CountRequest { Count = 1 }), cancellationToken: Hang);
            await both.RequestStream.WriteAsync(Blob("abc"), Hang);
            Assert.True(await both.ResponseStream.MoveNext(Hang));
            Assert.False(await both.ResponseStream.MoveNext(Hang));
        }

        Assert.Empty(log.Errors);
    }

    /// <summary>It is its own doing, and no error of the application, which would be in its log.</summary>
    [Fact]
    public async Task AClientThatGoesWhileItSendsIsNoError()
    {
        Serve();
        ErrorLog log = new();
        await StartAsync(services: services => services.AddSingleton<ILoggerProvider>(log));
        for (int i = 0; i < 50; i++)
        {
            using GrpcChannel channel = GrpcChannel.ForAddress(Address);
            Client client = new(channel);
            using AsyncClientStreamingCall<Blob, Blob> up = client.Collect(cancellationToken: Hang);
            using AsyncDuplexStreamingCall<Blob, Blob> both = client.Mirror(cancellationToken: Hang);
            Task sending = Task.WhenAll(SendOn(up.RequestStream), SendOn(both.RequestStream));
            await Task.Delay(i, Hang);
            channel.Dispose();
            await Assert.ThrowsAnyAsync<Exception>(() => sending);
        }

        Assert.Equal("others", Text(await Connect().EchoAsync(Blob("others"), cancellationToken: Hang)));
        Assert.Empty(log.Errors);

        static async Task SendOn(IClientStreamWriter<Blob> to)
        {
            while (true)
                await to.WriteAsync(Blob("abc"), Hang);
        }
    }

    /// <summary>The producer is ahead of who reads by what lies in buffers, and no further.</summary>
    [Fact]
    public async Task AReaderThatPausesStopsTheProducer()
    {
        Rpc.Peer.Interop.ManagedTests service = Serve();
        await StartAsync();
        using AsyncServerStreamingCall<Blob> down = Connect().Count(new CountRequest { Count = 100_000, Size = 1000 }, cancellationToken: Hang);
        Assert.True(await down.ResponseStream.MoveNext(Hang));
        int before;
        do
        {
            before = service.Produced;
            await Task.Delay(300, Hang); // to see it stand still
        }
        while (service.Produced != before);
        Assert.InRange(before, 1, 50_000);
    }

    [Fact]
    public async Task AMessageOfAnyLengthPassesWhereGrpcLetsIt()
    {
        Serve();
        await StartAsync(services: static services => services.AddGrpc(static options => options.MaxReceiveMessageSize = null));
        byte[] large = new byte[20 << 20];
        new Random(1).NextBytes(large);
        Blob answer = await Connect().EchoAsync(new Blob { Data = ByteString.CopyFrom(large) }, cancellationToken: Hang);
        Assert.Equal(large, answer.Data.ToByteArray());
    }

    [Fact]
    public async Task ATooLongMessageIsRefusedByWhoeverCannotTakeIt()
    {
        Serve();
        await StartAsync(static options => options.Client.LoanBudget = 1 << 20);
        Client client = Connect();
        RpcException byGrpc = await FailureOf(async () => await client.EchoAsync(new Blob { Data = ByteString.CopyFrom(new byte[5 << 20]) }, cancellationToken: Hang));
        Assert.Equal(StatusCode.ResourceExhausted, byGrpc.StatusCode);
        RpcException byIpc = await FailureOf(async () => await client.EchoAsync(new Blob { Data = ByteString.CopyFrom(new byte[2 << 20]) }, cancellationToken: Hang));
        Assert.Equal(StatusCode.ResourceExhausted, byIpc.StatusCode);
        Assert.Contains("1048576", byIpc.Status.Detail, StringComparison.Ordinal);
        Assert.Equal("fits", Text(await client.EchoAsync(Blob("fits"), cancellationToken: Hang)));
    }

    private static async Task<string> Collect(Client client, int count, Metadata parameters)
    {
        using AsyncClientStreamingCall<Blob, Blob> up = client.Collect(parameters, cancellationToken: Hang);
        try
        {
            for (int i = 0; i < count; i++)
                await up.RequestStream.WriteAsync(Blob("abc"), Hang);
            await up.RequestStream.CompleteAsync();
        }
        catch (RpcException)
        {
            // answered in the middle: what is written then goes nowhere, and the answer tells how the call ended
        }

        return Text(await up);
    }

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);
}
