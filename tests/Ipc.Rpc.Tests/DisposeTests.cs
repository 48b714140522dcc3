using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Closing: at any moment, from any thread, without a hang and without a call that does not end.</summary>
public sealed class DisposeTests
{
    [Fact]
    public void DisposingAClientEndsEveryPendingCall()
    {
        using var server = new TestServer();
        server.Service.GateOf("open").Opened.Set();
        for (int round = 0; round < 50; round++)
        {
            RpcClient client = server.Connect(new RpcClientOptions { StreamWindow = 2 });
            ITestService service = TestServiceRpc.Client(client);
            var calls = new List<Task>();
            for (int i = 0; i < 3; i++)
            {
                calls.Add(Task.Factory.StartNew(() => service.Block("shut"), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
                calls.Add(service.WaitAsync("shut").AsTask());
                calls.Add(Task.Run(async () =>
                {
                    await foreach (int item in service.Count(0, int.MaxValue))
                        Assert.True(item >= 0);
                }));
            }

            if (round % 2 == 0)
                ErrorTests.Lives(service);
            client.Dispose();
            client.Dispose();
            foreach (Task call in calls)
            {
                Exception? e = Record(call);
                Assert.True(e is RpcCallException { Status: RpcStatus.Unavailable } or ObjectDisposedException, "ended with " + e);
            }

            Assert.Throws<ObjectDisposedException>(() => service.Add(1, 1));
        }

        Eventually.True(() => server.Server.ConnectionCount == 0, "every connection is freed");
        Eventually.True(() => server.Service.GateOf("shut").Cancelled == server.Service.GateOf("shut").Entered, "every token has fired");
    }

    [Fact]
    public void DisposingAServerEndsEveryPendingCallAndFreesTheName()
    {
        string name = TestServer.NewName();
        for (int round = 0; round < 30; round++)
        {
            RpcServer server = RpcServer.Start(name, TestServiceRpc.Service(new TestService()));
            using RpcClient client = RpcClient.Connect(name, new RpcClientOptions { AutoReconnect = false });
            ITestService service = TestServiceRpc.Client(client);
            Task[] calls =
            {
                Task.Factory.StartNew(() => service.Block("shut"), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default),
                service.WaitAsync("shut").AsTask(),
                Task.Run(async () =>
                {
                    await foreach (int item in service.Count(0, int.MaxValue))
                        Assert.True(item >= 0);
                }),
            };
            if (round % 2 == 0)
                ErrorTests.Lives(service);
            server.Dispose();
            server.Dispose();
            foreach (Task call in calls)
                Assert.Equal(RpcStatus.Unavailable, Assert.IsType<RpcCallException>(Record(call)).Status);
        }
    }

    [Fact]
    public void ClientsComeAndGoWhileTheServerIsBusy()
    {
        using var server = new TestServer();
        CallTests.OnThreads(4, thread =>
        {
            for (int i = 0; i < 40; i++)
            {
                using RpcClient client = server.Connect();
                Assert.Equal(thread + i, TestServiceRpc.Client(client).Add(thread, i));
            }
        });
        Eventually.True(() => server.Server.ConnectionCount == 0, "every connection is freed");
    }

    [Fact]
    public void AViewDoesNotOwnItsClient()
    {
        using var server = new TestServer();
        using RpcClient client = server.Connect();
        client.WithTimeout(TimeSpan.FromSeconds(5)).Dispose();
        ErrorTests.Lives(TestServiceRpc.Client(client));
    }

    /// <summary>Of an idle client it was said that a call had been pending.</summary>
    [Fact]
    public void TheEndOfAnIdleClientSpeaksOfNoCall()
    {
        using var server = new TestServer();
        RpcClient client = server.Connect();
        var told = new System.Collections.Concurrent.ConcurrentQueue<RpcConnectionChangedEventArgs>();
        client.ConnectionChanged += (_, change) => told.Enqueue(change);
        client.Dispose();
        Eventually.True(() => !told.IsEmpty, "the end is told");
        RpcConnectionChangedEventArgs end = told.Single();
        Assert.Equal(RpcConnectionChangeKind.Lost, end.Kind);
        Assert.Equal("The client of the server \"" + server.Name + "\" was disposed.", end.Reason);
    }

    private static Exception? Record(Task call)
    {
        try
        {
            Assert.True(call.Wait(Eventually.Watchdog), "a call does not end");
            return null;
        }
        catch (AggregateException e)
        {
            return e.InnerExceptions.Single();
        }
    }
}
