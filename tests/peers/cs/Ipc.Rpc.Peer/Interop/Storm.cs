using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer.Interop;

/// <summary>A client that is to be killed. Twin of <c>rpc_storm.cpp</c>.</summary>
internal static class Storm
{
    /// <summary>Prints "ready" when every shape has been gone through once; ends only when something was not as it should be.</summary>
    public static async Task<int> RunAsync(string name)
    {
        var options = new RpcClientOptions();
        options.Services.Add(TestsBackRpc.Service(new ManagedBack()));
        using RpcClient client = RpcClient.Connect(name, options);
        ITests tests = TestsRpc.Client(client);
        try
        {
            await OnceAsync(tests, 0);
            Console.WriteLine("ready");
            await Task.WhenAny(Enumerable.Range(0, 4).Select(first => Task.Run(async () =>
            {
                for (int round = first; ; round++)
                    await OnceAsync(tests, round);
            }))).Unwrap();
        }
        catch (Exception e)
        {
            Console.WriteLine("wrong: " + e);
        }
        return 1;
    }

    /// <summary>Calls and a stream of so many items, once: 0, all was well.</summary>
    public static async Task<int> CallAsync(ITests tests, int count)
    {
        for (int i = 0; i < count; i++)
        {
            var given = new Blob { Data = Pattern.Of(i, i % 3000) };
            Require(tests.Echo(given).Data.AsSpan().SequenceEqual(given.Data), "an echo");
        }

        int number = 0;
        await foreach (Blob item in tests.Count(new CountRequest { Count = count, Size = 100 }))
            Require(item.Data.AsSpan().SequenceEqual(Pattern.Of(number++, 100)), "an item");
        Require(number == count, "all items");
        return 0;
    }

    private static async Task OnceAsync(ITests tests, int round)
    {
        var given = new Blob { Data = Pattern.Of(round, 20 + (round % 2000)) };
        Require(tests.Echo(given).Data.AsSpan().SequenceEqual(given.Data), "an echo");
        Require((await tests.EchoAsync(given)).Data.AsSpan().SequenceEqual(given.Data), "an asynchronous echo");
        tests.Note(given);

        int number = 0;
        await foreach (Blob item in tests.Count(new CountRequest { Count = 200, Size = 30 }))
        {
            Require(item.Data.AsSpan().SequenceEqual(Pattern.Of(number, 30)), "an item");
            if (++number == 200 - (round % 3)) // now and then it is left
                break;
        }

        var five = new Blob { Data = "12345"u8.ToArray() };
        Require(Text(await tests.CollectAsync(new CountRequest(), Repeat(five, 50))) == "50 250", "an upload");
        number = 0;
        await foreach (Blob item in tests.Mirror(new CountRequest(), Repeat(five, 20)))
        {
            Require(item.Data.Length == 5, "a mirrored item");
            number++;
        }
        Require(number == 20, "all mirrored items");
        Require(Text(await tests.RelayAsync(new CountRequest { Count = 3, Size = 40 })) == "3", "three callbacks");
        Require(Text(await tests.PullAsync(new CountRequest { Count = 40, Size = 10 })) == "40", "a stream of the client's");
    }

    private static string Text(Blob blob) => Encoding.UTF8.GetString(blob.Data);

    private static async IAsyncEnumerable<Blob> Repeat(Blob item, int count)
    {
        for (int i = 0; i < count; i++)
        {
            yield return item;
            await Task.CompletedTask;
        }
    }

    private static void Require(bool condition, string what)
    {
        if (!condition)
            throw new InvalidOperationException(what);
    }
}
