using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>A server that is restarted in good order, again and again, and a client that calls it all the while. Twin of <c>rpc_restart.cpp</c>.</summary>
internal static class Restart
{
    private const int Slow = 16; // one call of so many takes a millisecond, if any does

    /// <summary>Prints "ready" and serves, appending the first 8 bytes of every request of Echo and Note to the file as it handles it; when its input ends it
    /// stops in good order. <paramref name="how"/>: "slow" for some calls that take a millisecond; "follow" takes the name of the server that has it, and ends when the next one has.</summary>
    public static async Task<int> ServeAsync(string name, string file, string how)
    {
        bool isSlow = how == "slow";
        using var handled = new FileStream(file, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        void Write(Blob request)
        {
            lock (handled)
                handled.Write(request.Data, 0, 8);
            if (isSlow && request.Data[0] % Slow == 0)
                Thread.Sleep(1); // one that is killed has calls that it has handled and not answered
        }

        var tests = new ManagedTests { Echoing = Write, Noting = Write };
        await using RpcServer server = RpcServer.Start(name, new RpcServerOptions { TakeOver = how == "follow" }, TestsRpc.Service(tests));
        Console.WriteLine("ready");
        await Task.WhenAny(Task.Run(Console.In.ReadToEnd), server.Completion);
        await server.StopAsync(TimeSpan.FromSeconds(30));
        return 0;
    }

    /// <summary>Calls Echo from several threads, with small and large requests, synchronously and not; each begins with a number that no other has. Prints "ready"
    /// when some were answered, and when its input ends "CALLS FAILED" and what failed first.</summary>
    public static async Task<int> CallAsync(string name)
    {
        var options = new RpcClientOptions
        {
            WaitForReady = true,
            ConnectTimeout = TimeSpan.FromSeconds(30),
            CallTimeout = TimeSpan.FromSeconds(60),
        };
        using RpcClient client = RpcClient.Connect(name, options);
        ITests tests = TestsRpc.Client(client);
        var all = new Tally();
        Task[] callers =
        [
            .. Enumerable.Range(1, 3).Select(thread => Task.Factory.StartNew(() => CallInTurn(tests, thread, all), TaskCreationOptions.LongRunning)),
            Task.Run(() => CallInBurstsAsync(tests, 4, all)),
        ];
        while (all.Calls < 100)
            await Task.Delay(1);
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();
        all.Over = true;
        await Task.WhenAll(callers);
        Console.WriteLine($"{all.Calls} {all.Failed} {all.First}");
        return 0;
    }

    private static void CallInTurn(ITests tests, long thread, Tally all)
    {
        for (long round = 0; !all.Over; round++)
        {
            Blob request = Numbered(thread << 40 | round, SizeOf(round));
            try
            {
                all.Note(tests.Echo(request), request);
            }
            catch (RpcCallException e)
            {
                all.Note(e);
            }
        }
    }

    private static async Task CallInBurstsAsync(ITests tests, long thread, Tally all)
    {
        const int Burst = 64;
        for (long round = 0; !all.Over; round += Burst)
        {
            Blob[] requests = [.. Enumerable.Range(0, Burst).Select(i => Numbered(thread << 40 | (round + i), 200))];
            Task<Blob>[] calls = [.. requests.Select(request => tests.EchoAsync(request))];
            for (int i = 0; i < Burst; i++)
            {
                try
                {
                    all.Note(await calls[i], requests[i]);
                }
                catch (RpcCallException e)
                {
                    all.Note(e);
                }
            }
        }
    }

    private static int SizeOf(long round) => round % 50 == 49 ? 300_000 : round % 7 == 6 ? 20_000 : 64;

    private static Blob Numbered(long number, int size)
    {
        var data = new byte[size];
        data.AsSpan().Fill((byte)number);
        BinaryPrimitives.WriteInt64LittleEndian(data, number);
        return new Blob { Data = data };
    }

    private sealed class Tally
    {
        private long _calls;
        private long _failed;

        public long Calls => Interlocked.Read(ref _calls);

        public long Failed => Interlocked.Read(ref _failed);

        public string? First { get; private set; }

        public volatile bool Over;

        public void Note(Blob got, Blob given)
        {
            Interlocked.Increment(ref _calls);
            if (!got.Data.AsSpan().SequenceEqual(given.Data))
                Fail("a wrong answer");
        }

        public void Note(RpcCallException failure)
        {
            Interlocked.Increment(ref _calls);
            Fail(failure.Status + " " + failure.IsUnsent + ": " + failure.Message);
        }

        private void Fail(string what)
        {
            lock (this)
                First ??= what;
            Interlocked.Increment(ref _failed);
        }
    }
}
