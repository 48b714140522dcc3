using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a piece of code sets that flows with it (AsyncLocal, culture, principal, activity, scheduler) is seen by nobody else's.</summary>
public sealed class AmbientStateTests
{
    private static readonly RpcMethod<int, int> _inline = new(Hand.Name, "Inline", RpcMethodKind.Unary, Hand.Number, Hand.Number);
    private static readonly RpcMethod<int, int> _blocking = new(Hand.Name, "Blocking", RpcMethodKind.Unary, Hand.Number, Hand.Number);
    private static readonly RpcMethod<int, int> _callsBack = new(Hand.Name, "CallsBack", RpcMethodKind.Unary, Hand.Number, Hand.Number);

    public static TheoryData<string> Ways => new() { "plain", "ordered", "limited", "aside" };

    /// <summary>On the thread that reads, on one of its own, aside, taken over; the server was started by somebody who had set something.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task NoCallSeesWhatAnotherHasSet(string way)
    {
        var ambient = new Ambient();
        var options = new RpcServerOptions
        {
            OrderedCalls = way == "ordered",
            MaxConcurrentCalls = way == "limited" ? 2 : 0,
            LongTurn = way == "aside" ? TimeSpan.Zero : TimeSpan.FromTicks(300),
            Accept = _ =>
            {
                ambient.LookAndSet("accept");
                return null;
            },
        };
        options.Interceptors.Add(new Interceptor(ambient));
        using RpcServer server = await StartDirty(() => Serve(ambient, options));
        Task[] clients = Enumerable.Range(0, 3).Select(_ => Task.Run(() => CallEverything(server.Name))).ToArray();
        await Eventually.Ends(Task.WhenAll(clients));
        ambient.AssertNothingWasSeen();
        Assert.True(ambient.Looks > 200);
    }

    /// <summary>Its reports, its callbacks and its events run on threads of the client, of the pool, or of whoever is reading just then.</summary>
    [Fact]
    public async Task AClientsCodeSeesNothingOfWhoeverReads()
    {
        var ambient = new Ambient();
        using RpcServer server = Hand.Serve(
            out string name,
            RpcHandler.Unary(_callsBack, static (number, cancel) => RpcContext.Current!.Caller.Call(_inline, number, cancel) + RpcContext.Current.Caller.Call(Hand.Ask, number, cancel)),
            RpcHandler.UnaryProgress(Hand.Work, static async (number, progress, _) =>
            {
                for (int i = 0; i < number; i++)
                {
                    progress.Report(i);
                    await Task.Yield();
                }

                return number;
            }));
        var options = new RpcClientOptions();
        options.Services.Add(Hand.Service(
            RpcHandler.Unary(_inline, (number, _) =>
            {
                ambient.LookAndSet("inline callback");
                return number;
            }).Inline(),
            RpcHandler.Unary(Hand.Ask, (number, _) =>
            {
                ambient.LookAndSet("callback");
                return number;
            })));
        using RpcClient client = await StartDirty(() =>
        {
            RpcClient opened = RpcClient.Create(name, options);
            opened.ConnectionChanged += (_, _) => ambient.LookAndSet("event");
            return opened;
        });
        for (int i = 0; i < 20; i++)
        {
            await StartDirty(() =>
            {
                string before = Ambient.Present;
                Assert.Equal(2 * i, client.Call(_callsBack, i));
                Assert.Equal(before, Ambient.Present); // its own is there when the call has returned
                using (ExecutionContext.SuppressFlow())
                {
                    Assert.Equal(2 * i, client.Call(_callsBack, i));
                    Assert.True(ExecutionContext.IsFlowSuppressed());
                }

                Assert.Equal(before, Ambient.Present);
                return 0;
            });
            Task<int> working = await StartDirty(() => client.CallAsync(Hand.Work, 5, new Report(ambient)).AsTask());
            Assert.Equal(5, await Eventually.Ends(working));
            Task<int> called = await StartDirty(() => client.CallAsync(_callsBack, i).AsTask());
            Assert.Equal(2 * i, await Eventually.Ends(called));
        }

        server.Dispose();
        Eventually.True(() => !client.IsConnected, "the end is noticed");
        ambient.AssertNothingWasSeen();
        Assert.True(ambient.Looks > 100);
    }

    /// <summary>A decoder runs user code, too: constructors, setters, serializers.</summary>
    [Fact]
    public void ADecoderSeesNothingOfTheCallBefore()
    {
        var ambient = new Ambient();
        MessageCodec<int> looking = new(
            "Number",
            static (ref ProtoWriter writer, in int value) => writer.WriteInt32(1 << 3, value),
            (ref ProtoReader reader) =>
            {
                ambient.LookAndSet("decoder");
                reader.TryReadTag(out _);
                return reader.ReadInt32();
            },
            package: Hand.Name);
        var ask = new RpcMethod<int, int>(Hand.Name, "Ask", RpcMethodKind.Unary, looking, Hand.Number);
        using RpcServer server = Hand.Serve(out string name, RpcHandler.Unary(ask, static (number, _) => number));
        using RpcClient one = RpcClient.Connect(name);
        using RpcClient other = RpcClient.Connect(name);
        for (int i = 1; i < 100; i++)
            Assert.Equal(i, (i % 2 == 0 ? one : other).Call(ask, i));
        ambient.AssertNothingWasSeen();
    }

    /// <summary>Does something where somebody has set everything.</summary>
    private static Task<T> StartDirty<T>(Func<T> start)
    {
        return Task.Run(Dirty);

        async Task<T> Dirty() // what it sets ends with it, but for the scheduler
        {
            Ambient.Set("the starter");
            try
            {
                return start();
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(null);
                await Task.CompletedTask;
            }
        }
    }

    private static RpcServer Serve(Ambient ambient, RpcServerOptions options)
    {
        return Hand.Serve(
            out _, options,
            RpcHandler.Unary(Hand.Ask, (number, _) => Set("unary", number)),
            RpcHandler.Unary(_inline, (number, _) => Set("inline", number)).Inline(),
            RpcHandler.Unary(_blocking, static (number, _) =>
            {
                Ambient.Set("blocking");
                Thread.Sleep(20); // long enough for another thread to take over: what is tested is the thread's next call
                return number;
            }),
            RpcHandler.UnaryAsync(Hand.Other, (number, _) => new ValueTask<int>(Set("asynchronous, at once", number))),
            RpcHandler.OneWay(Hand.Tell, (number, _) => Set("one-way", number)),
            RpcHandler.UnaryProgress(Hand.Work, async (number, progress, _) =>
            {
                Set("with progress", number);
                await Task.Yield();
                progress.Report(number);
                Ambient.Set("behind an await");
                return number;
            }),
            RpcHandler.ServerStream(Hand.Items, (number, _) => Items(Set("stream", number), null)),
            RpcHandler.ClientStream(Hand.Sum, async (number, items, _) =>
            {
                Set("client stream", number);
                await foreach (int item in items)
                    number += item;
                return number;
            }),
            RpcHandler.Duplex(Hand.Scale, (number, items, _) => Items(Set("duplex", number), items)));

        int Set(string where, int number)
        {
            // What an interceptor has set before the handler is the call's own; what is looked for is what others have left.
            Assert.True(Interceptor.IsOwn, where + " without an interceptor's value");
            return number;
        }

        static async IAsyncEnumerable<int> Items(int number, IAsyncEnumerable<int>? incoming)
        {
            if (incoming is not null)
            {
                await foreach (int item in incoming)
                    number += item;
            }

            Ambient.Set("iterator");
            yield return number;
            await Task.Yield();
            Ambient.Set("iterator");
            yield return number;
        }
    }

    private static async Task CallEverything(string server)
    {
        using RpcClient client = RpcClient.Connect(server);
        for (int i = 1; i <= 10; i++)
        {
            Assert.Equal(i, client.Call(Hand.Ask, i));
            Assert.Equal(i, client.Call(_inline, i));
            Assert.Equal(i, client.Call(Hand.Other, i));
            client.Notify(Hand.Tell, i);
            if (i % 5 == 0)
                Assert.Equal(i, client.Call(_blocking, i));
            Assert.Equal(i, await client.CallAsync(Hand.Work, i, new Progress<int>()));
            await foreach (int item in client.Stream(Hand.Items, i))
                Assert.Equal(i, item);
            Assert.Equal(i + 6, await client.ClientStream(Hand.Sum, i, new Source(3)));
            await foreach (int item in client.Duplex(Hand.Scale, i, new Source(3)))
                Assert.Equal(i + 6, item);
            Task<int>[] many = Enumerable.Range(0, 10).Select(j => client.CallAsync(j % 2 == 0 ? Hand.Ask : Hand.Other, j).AsTask()).ToArray();
            await Task.WhenAll(many);
        }
    }

    /// <summary>The first to run for a call: what it finds, somebody else has left. What it sets is the call's.</summary>
    private sealed class Interceptor(Ambient ambient) : RpcServerInterceptor
    {
        private static readonly AsyncLocal<bool> _own = new();

        public static bool IsOwn => _own.Value;

        public override void Starting(RpcContext context)
        {
            Assert.False(IsOwn, "another call's value");
            ambient.LookAndSet("call of " + context.Method.Name);
            _own.Value = true;
        }

        public override void Completed(RpcContext context, RpcStatus status, Exception? exception) => Ambient.Set("completed");
    }

    private sealed class Report(Ambient ambient) : IProgress<int>
    {
        void IProgress<int>.Report(int value)
        {
            if (value == 0)
                ambient.Look("progress"); // later ones may see what this has set: they are the same call's
            Ambient.Set("progress");
        }
    }
}
