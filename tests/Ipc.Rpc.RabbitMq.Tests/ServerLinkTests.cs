using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Tcp.Tests;
using Ipc.Testing.Drive;
using RabbitMQ.Client;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>What a server's link does when it is no longer known whether its client is there: for that it is here without its server, and its test says when.</summary>
public sealed class ServerLinkTests : RabbitMqTest
{
    private const string Reason = "541, \"INTERNAL_ERROR\"";

    private readonly RpcStreamMethod<byte[], byte[], byte[]> _take;
    private readonly TaskCompletionSource _taking = new(TaskCreationOptions.RunContinuationsAsynchronously), _taken = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private BadNetwork _network = null!; // where clients are looked after, in vain
    private Replies _replies = null!;
    private Action _buried = static () => { };

    public ServerLinkTests(BrokerProcess broker)
        : base(broker)
    {
        _take = new(Service, "Take", RpcMethodKind.ClientStream, Wire.Bytes, Wire.Bytes, Wire.Bytes);
    }

    /// <summary>It was asked before the letter was buried. To ask again could take until the link ends, and nobody would get an answer: the request has been acknowledged.</summary>
    [Fact]
    public async Task WhatCameTooOftenIsAnsweredToWhoWasThereBeforeItWasBuried()
    {
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string queue = await channel.QueueDeclareAsync(cancellationToken: Cancel);
        _buried = () => Suspect(queue);
        await OpenLinkAsync();
        await SendAsync(channel, queue, new() { [Wire.Method] = Service + "/Take", ["x-delivery-count"] = 100L });
        BasicGetResult? answer = null;
        await UntilAsync(async () => (answer = await channel.BasicGetAsync(queue, autoAck: true, Cancel)) is not null, "the answer");
        Assert.Equal((long)RpcStatus.Aborted, Wire.NumberOf(answer!.BasicProperties.Headers, Wire.Status));
        Assert.Equal(0, _network.Connections); // and nobody was looked after

        _replies.Ended(Reason); // who gets an answer is one that the link may end for, as any other
        Task<bool> isThere = _replies.IsThereAsync(queue, Cancel).AsTask();
        Watchdog.Until(() => _network.Connections > 0, "it to be looked after");
        Assert.False(isThere.IsCompleted);
        _network.Refuses = false;
        Assert.True(await isThere.WaitAsync(Patience, Cancel));
    }

    [Fact]
    public async Task AStreamWhoseEndCannotBeToldHasAFailureOnItsSpan()
    {
        ConcurrentQueue<Activity> ended = new();
        ActivitySource.AddActivityListener(Own(new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ipc.Rpc.RabbitMq",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.OperationName == _take.FullName)
                    ended.Enqueue(activity);
            },
        }));
        await using IConnection connection = await OpenAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancel);
        string queue = await channel.QueueDeclareAsync(cancellationToken: Cancel);
        ServerLink link = await OpenLinkAsync();
        Dictionary<string, object?> headers = new() { [Wire.Method] = _take.FullName };
        new StreamTerms(0, StreamTerms.WindowBytes, TimeSpan.FromMinutes(2), true).AddTo(headers);
        await SendAsync(channel, queue, headers);
        await _taking.Task.WaitAsync(Patience, Cancel);
        Suspect(queue);
        _taken.SetResult();
        Watchdog.Until(() => _network.Connections > 3, "the link to look after its client");
        Assert.Empty(ended);
        End(link);
        Watchdog.Until(() => !ended.IsEmpty, "the span to end");
        Assert.Equal(ActivityStatusCode.Error, Assert.Single(ended).Status);
        Assert.NotNull(Assert.Single(ended).GetTagItem("error.type"));
    }

    private void Suspect(string queue)
    {
        Assert.True(_replies.IsThereAsync(queue, Cancel).AsTask() is { IsCompletedSuccessfully: true, Result: true });
        _replies.Ended(Reason);
    }

    private async Task<ServerLink> OpenLinkAsync()
    {
        _network = Own(new BadNetwork(Broker.EndPoint) { Refuses = true });
        _replies = Own(new Replies(
            RabbitMqAddress.Parse(AddressAt(_network.Port)),
            new RabbitMqServerOptions { FirstPause = TimeSpan.FromMilliseconds(1), LongestPause = TimeSpan.FromMilliseconds(10) }));
        Own(RpcServer.Start(Service + "-here", new RpcService(Service, [RpcHandler.ClientStream(_take, async (_, _, _) =>
        {
            _taking.SetResult();
            await _taken.Task;
            return [];
        })])));
        RequestHandler handler = new(Own(RpcClient.Connect(Service + "-here")), _ => _buried());
        ServerOptions.QueueKind = RabbitMqQueueKind.Classic; // which does not count deliveries itself
        ServerLink link = new(Mine(await OpenAsync()), RabbitMqAddress.Parse(Address), ServerOptions.Checked(), handler, _replies);
        await link.OpenAsync(Cancel);
        return link;
    }

    private static void End(ServerLink link)
    {
        link.End("the test has ended it");
        link.Fail("the test has ended it");
    }

    private async Task SendAsync(IChannel channel, string replyTo, Dictionary<string, object?> headers)
    {
        BasicProperties properties = new() { Type = Wire.Type, MessageId = "1", CorrelationId = "1", ReplyTo = replyTo, Headers = headers };
        await channel.BasicPublishAsync("", "ipc." + Service, mandatory: true, properties, ReadOnlyMemory<byte>.Empty, Cancel);
    }

    private static async Task UntilAsync(Func<Task<bool>> condition, string what)
    {
        for (long began = Stopwatch.GetTimestamp(); !await condition(); await Task.Delay(5, Cancel))
            Assert.True(Stopwatch.GetElapsedTime(began) < Patience, "waited for " + what);
    }
}
