using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>One error, one text: what was called of whom, and why it failed, in the same words whichever language the client and the server are written in.
/// The C++ client is <c>rpc_errors.cpp</c>.</summary>
public sealed class ErrorTextTests
{
    private const string Offer = "Collect, Count, Echo, Fail, FailWith, Labels, Mirror, Note, Noted, Pull, Relay, Remaining, Sleep, Steps";

    /// <summary>The server is there.</summary>
    private static string[] Expected(string server, string peer) =>
    [
        $"Unimplemented of other.v1/Echo at {peer}: The {server} has no such method. It has tests.v1: {Offer}. Do both sides have the same contract?",
        $"Unimplemented of tests.v2/Echo at {peer}: The {server} has no tests.v2/Echo; it has another version of that service. It has tests.v1: {Offer}. Do both sides have the same contract?",
        $"Unimplemented of tests.v1/Collect at {peer}: tests.v1/Collect is ClientStream; it was called as Unary.",
        $"NotFound of tests.v1/Fail at {peer}: there is none",
        $"DeadlineExceeded of tests.v1/Sleep at {peer}: The deadline of a call to tests.v1/Sleep passed.",
        "A call to tests.v1/Sleep was cancelled.",
    ];

    /// <summary>It has been killed.</summary>
    private static string[] ExpectedAfterwards(string server, string peer) =>
    [
        $"Unavailable of tests.v1/Sleep at {peer}: T{peer[1..]} died. Whether the server handled the call is not known.",
        $"Unavailable of tests.v1/Echo at the {server}: There is no {server} now, and a call does not wait for one to appear; connecting does.",
    ];

    [Theory]
    [InlineData(Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.Cpp)]
    [InlineData(Language.Cpp, Language.CSharp)]
    [InlineData(Language.Cpp, Language.Cpp)]
    public async Task AnErrorSaysTheSameInBothLanguages(Language client, Language server)
    {
        string name = Repository.NewName();
        using OtherProcess serving = Peer.Server(server, name);
        string called = $"server \"{name}\"", peer = $"the {called} (process {serving.Id})";
        List<string> before = [], after = [];
        if (client == Language.CSharp)
            await CallAsync(name, serving, before, after);
        else
            Read(name, serving, before, after);
        Assert.Equal(Expected(called, peer), before);
        Assert.Equal(ExpectedAfterwards(called, peer), after);
    }

    private static void Read(string name, OtherProcess server, List<string> before, List<string> after)
    {
        using OtherProcess client = Peer.Errors(name);
        for (string line = client.NextLine(); line != "ready"; line = client.NextLine())
            before.Add(line);
        server.Kill();
        after.Add(client.NextLine());
        after.Add(client.NextLine());
        client.MustEndWell();
    }

    private static async Task CallAsync(string name, OtherProcess server, List<string> before, List<string> after)
    {
        using RpcClient client = RpcClient.Connect(name);
        ITests tests = TestsRpc.Client(client);
        var other = new RpcMethod<Blob, Blob>("other.v1", "Echo", RpcMethodKind.Unary, TestsRpc.Echo.Request, TestsRpc.Echo.Response);
        var newer = new RpcMethod<Blob, Blob>("tests.v2", "Echo", RpcMethodKind.Unary, TestsRpc.Echo.Request, TestsRpc.Echo.Response);
        var unary = new RpcMethod<Blob, Blob>("tests.v1", "Collect", RpcMethodKind.Unary, TestsRpc.Echo.Request, TestsRpc.Echo.Response);
        var sleep = new SleepRequest { Ms = 600_000 };
        before.Add(Of(() => client.Call(other, new Blob())));
        before.Add(Of(() => client.Call(newer, new Blob())));
        before.Add(Of(() => client.Call(unary, new Blob())));
        before.Add(Of(() => tests.Fail(new FailRequest { Status = 5, Text = "there is none" })));
        before.Add(await RunOutAsync(client, sleep));
        using (var stop = new CancellationTokenSource())
        {
            Task<Blob> cancelled = tests.SleepAsync(sleep, stop.Token);
            await stop.CancelAsync();
            before.Add((await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled)).Message);
        }

        Task<Blob> pending = tests.SleepAsync(sleep);
        server.Kill();
        after.Add(await OfAsync(pending));
        after.Add(Of(() => tests.Echo(new Blob())));
    }

    /// <summary>Where a handler is slow to start, its deadline passes before that, and the server says so: once more, with longer.</summary>
    private static async Task<string> RunOutAsync(RpcClient client, SleepRequest sleep)
    {
        for (int ms = 20; ; ms *= 2)
        {
            string said = await OfAsync(TestsRpc.Client(client.WithTimeout(TimeSpan.FromMilliseconds(ms))).SleepAsync(sleep));
            if (!said.EndsWith(" before its handler ran.", StringComparison.Ordinal))
                return said;
        }
    }

    private static string Of(Func<object> call) => Whole(Assert.Throws<RpcCallException>(() => _ = call()));

    private static async Task<string> OfAsync(Task call) => Whole(await Assert.ThrowsAsync<RpcCallException>(() => call.InTime()));

    private static string Whole(RpcCallException failure) => failure.ToString().Split(Environment.NewLine)[0]["Ipc.Rpc.RpcCallException: ".Length..];
}
