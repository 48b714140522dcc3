using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>Calls from one machine to another through shared memory at both ends: what neither end notices.</summary>
public sealed class GatewayCallTests(BrokerProcess broker) : GatewayTest(broker)
{
    /// <summary>The verbs of the C++ client check what comes back. Those of progress and callbacks have no way over a broker.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ClientsInBothLanguagesCallServersInBothLanguages(bool isCpp)
    {
        using OtherProcess server = Server(isCpp, Here);
        RabbitMqExport export = Export();
        RabbitMqImport import = Import();
        Serves(export);
        Serves(import);
        foreach (string[] words in new string[][] { ["call", There, "200"], ["streams", There, "500"], ["async", There, "300"], ["long", There, "3000000"] })
        {
            using OtherProcess client = Cpp(false, words);
            string said = client.Rest();
            Assert.True(client.WaitForExit() == 0, string.Join(' ', words) + ": " + said);
        }

        using RpcClient managed = RpcClient.Connect(There);
        ITests tests = TestsRpc.Client(managed);
        foreach (int size in new[] { 0, 1, 1000, 100_000, 5_000_000 })
        {
            byte[] data = [.. Enumerable.Range(0, size).Select(static i => (byte)(i * 31))];
            Assert.Equal(data, tests.Echo(new Blob { Data = data }).Data);
        }

        int items = 0;
        await foreach (Blob item in tests.Count(new CountRequest { Count = 2000, Size = 20 }, Cancel))
            items++;
        Assert.Equal(2000, items);
        Assert.True(import.Requests > 200 && export.Requests >= import.Requests, $"{import.Requests}, {export.Requests}");
        Assert.Equal((1, 0L), (import.ConnectionCount, export.DeadLetters));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ErrorsMetadataDeadlinesAndCancellationsPass(bool isCpp)
    {
        using OtherProcess server = Server(isCpp, Here);
        Serves(Export());
        Serves(Import());
        using RpcClient client = RpcClient.Connect(There);
        ITests tests = TestsRpc.Client(client);
        RpcCallException failure = Assert.Throws<RpcCallException>(() => tests.FailWith(new FailRequest { Status = (int)RpcStatus.OutOfRange, Text = "too far" }));
        Assert.Equal((RpcStatus.OutOfRange, "too far"), (failure.Status, failure.Message));
        Assert.Equal("tests.v1.Blob", Assert.Single(failure.Details).TypeUrl.Split('/')[^1]);

        RpcMetadata sent = new() { { "color", "blue" } };
        RpcMetadata? answered = null;
        TestsRpc.Client(client.With(sent).WithAnswer(metadata => answered = metadata)).Labels(new Blob { Data = [] });
        Assert.Equal("blue", answered!.GetText("color"));

        string left = System.Text.Encoding.UTF8.GetString(TestsRpc.Client(client.WithTimeout(TimeSpan.FromSeconds(50))).Remaining(new Blob { Data = [] }).Data);
        Assert.InRange(int.Parse(left, System.Globalization.CultureInfo.InvariantCulture), 30_000, 50_000);
        RpcCallException late = Assert.Throws<RpcCallException>(() => TestsRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(200))).SleepAsync(new SleepRequest { Ms = 60_000 }, Cancel).GetAwaiter().GetResult());
        Assert.Equal(RpcStatus.DeadlineExceeded, late.Status);
        using CancellationTokenSource source = new(100);
        Assert.ThrowsAny<OperationCanceledException>(() => tests.SleepAsync(new SleepRequest { Ms = 60_000 }, source.Token).GetAwaiter().GetResult());
        RpcCallException unknown = Assert.Throws<RpcCallException>(() => client.Call(new RpcMethod<RpcEmpty, RpcEmpty>("tests.v1", "What", RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec), default));
        Assert.Equal(RpcStatus.Unimplemented, unknown.Status);
    }

    /// <summary>One-way calls are answered by nobody, and arrive.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void OneWayCallsArrive(bool isCpp)
    {
        using OtherProcess server = Server(isCpp, Here);
        Serves(Export());
        Serves(Import());
        using RpcClient client = RpcClient.Connect(There);
        ITests tests = TestsRpc.Client(client);
        for (int i = 0; i < 100; i++)
            tests.Note(new Blob { Data = [1] });
        Watchdog.Until(() => System.Text.Encoding.UTF8.GetString(tests.Noted(new Blob { Data = [] }).Data) == "100", "all notes");
    }

    [Fact]
    public async Task OnlyWhatIsAllowedPasses()
    {
        using OtherProcess server = Server(isCpp: true, Here);
        ExportOptions.Methods.Add("tests.v1/Echo");
        ExportOptions.Methods.Add("tests.v1/Count");
        ExportOptions.Methods.Add("other.v1/*");
        Serves(Export());
        RabbitMqClient direct = await ConnectAsync();
        IReadOnlyList<RpcMethodInfo> methods = await RpcReflection.ListAsync(direct.Caller, Cancel);
        Assert.Equal(["tests.v1/Count", "tests.v1/Echo"], methods.Select(static method => method.FullName));
        ITests tests = TestsRpc.Client(direct.Caller);
        Assert.Equal([1], tests.Echo(new Blob { Data = [1] }).Data);
        await FailsAsync(RpcStatus.PermissionDenied, () => tests.SleepAsync(new SleepRequest { Ms = 1 }, Cancel));
        await FailsAsync(RpcStatus.PermissionDenied, async () =>
        {
            await foreach (Blob item in tests.Mirror(new CountRequest(), Nothing(), Cancel))
            {
            }
        });

        ImportOptions.Methods.Add("tests.v1/Echo");
        RabbitMqImport import = Import();
        Serves(import);
        Assert.Equal(1, import.Methods);
        using RpcClient client = RpcClient.Connect(There);
        Assert.Equal([2], TestsRpc.Client(client).Echo(new Blob { Data = [2] }).Data);
        await FailsAsync(RpcStatus.Unimplemented, async () =>
        {
            await foreach (Blob item in TestsRpc.Client(client).Count(new CountRequest { Count = 1 }, Cancel))
            {
            }
        });
    }

    /// <summary>A method is 32 bits in shared memory: a name that is allowed and has the number of one that is not must not lead there.</summary>
    [Fact]
    public async Task ANameWithTheNumberOfAnotherMethodDoesNotPass()
    {
        Farm farm = new("one");
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(farm), TapRpc.Service(new Tap()));
        ExportOptions.Methods.Add("tap.v1/*");
        Serves(Export());
        RabbitMqClient client = await ConnectAsync();
        Assert.Equal(5, client.For<ITap>().Add(2, 3));
        foreach (string hidden in new[] { "farm.v1/Do", "ipc.reflection.v1/List" })
        {
            string twin = "tap.v1/" + Twin("tap.v1/", RpcMethod.IdOf(hidden));
            Assert.Equal(RpcMethod.IdOf(hidden), RpcMethod.IdOf(twin));
            RpcMethod<RpcEmpty, RpcEmpty> method = new("tap.v1", twin["tap.v1/".Length..], RpcMethodKind.Unary, RpcEmpty.Codec, RpcEmpty.Codec);
            await FailsAsync(RpcStatus.PermissionDenied, () => client.Caller.CallAsync(method, default, Cancel).AsTask());
        }

        Assert.Empty(farm.All);
        Assert.DoesNotContain(await RpcReflection.ListAsync(client.Caller, Cancel), static method => method.Service != "tap.v1");
    }

    /// <summary>Eight letters behind the beginning: FNV-1a can be walked backwards, so two halves meet in the middle.</summary>
    private static string Twin(string begin, uint id)
    {
        const uint Inverse = 899433627; // of FNV's prime, modulo 2^32
        const string Letters = "abcdefghijklmnopqrstuvwxyz";
        Dictionary<uint, string> forwards = [];
        foreach (string half in Halves())
            forwards[RpcMethod.IdOf(begin + half)] = half;
        foreach (string half in Halves())
        {
            uint hash = id;
            for (int i = half.Length - 1; i >= 0; i--)
                hash = unchecked(hash * Inverse) ^ half[i];
            if (forwards.TryGetValue(hash, out string? first))
                return first + half;
        }

        throw new InvalidOperationException("no twin of " + id);

        static IEnumerable<string> Halves() =>
            from a in Letters
            from b in Letters
            from c in Letters
            from d in Letters
            select new string([a, b, c, d]);
    }

    /// <summary>What a server's own method of that name answers is its business; the requests of others go on.</summary>
    [Fact]
    public async Task AListThatIsNoneEndsItsOwnCallOnly()
    {
        RpcMethod<RpcEmpty, byte[]> list = new("ipc.reflection.v1", "List", RpcMethodKind.Unary, RpcEmpty.Codec, Wire.Bytes);
        using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")), new RpcService("ipc.reflection.v1", [RpcHandler.Unary(list, static _ => new byte[] { 10, 200, 1 })]));
        ExportOptions.Methods.Add("farm.v1/Do");
        RabbitMqExport export = Export();
        Serves(export);
        RabbitMqClient client = await ConnectAsync();
        for (int i = 0; i < 5; i++)
            await FailsAsync(RpcStatus.Internal, () => RpcReflection.ListAsync(client.Caller, Cancel).AsTask());
        Assert.Equal("one", await client.For<IFarm>().DoAsync(1, Cancel));
        Assert.Equal(6, export.Requests); // none came again
    }

    [Theory]
    [InlineData("tests.v1")]
    [InlineData("/Echo")]
    [InlineData("tests.v1/")]
    [InlineData("*")]
    [InlineData("tests.*/Echo")]
    [InlineData("tests.v1/E*")]
    public void WhatIsNoMethodCannotBeAllowed(string method)
    {
        ExportOptions.Methods.Add(method);
        ImportOptions.Methods.Add(method);
        Assert.Throws<ArgumentException>(() => RabbitMqExport.Start(Here, Address, ExportOptions));
        Assert.Throws<ArgumentException>(() => RabbitMqImport.Start(There, Address, ImportOptions));
    }

    private static async IAsyncEnumerable<Blob> Nothing()
    {
        await Task.Yield();
        yield break;
    }
}
