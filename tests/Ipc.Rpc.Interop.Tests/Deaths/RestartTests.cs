using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Deaths;

/// <summary>A server that is stopped in good order, and whose successor is another process: under load no call fails, and each is handled once.</summary>
public sealed class RestartTests
{
    private static readonly int _restarts = Switches.LongRuns ? 100 : Switches.FullRuns ? 20 : 6;

    [Theory]
    [InlineData(Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.Cpp)]
    [InlineData(Language.Cpp, Language.CSharp)]
    [InlineData(Language.Cpp, Language.Cpp)]
    public void NoCallFailsAndEachIsHandledOnce(Language servers, Language clients)
    {
        string name = Repository.NewName();
        string file = Path.Combine(Path.GetTempPath(), name);
        OtherProcess server = Peer.RestartedServer(servers, name, file);
        try
        {
            using OtherProcess client = Peer.RestartedClient(clients, name);
            for (int restart = 0; restart < _restarts; restart++)
            {
                long before = new FileInfo(file).Length;
                Watchdog.Until(() => new FileInfo(file).Length > before + 8 * 500, "the server to be called");
                Assert.Equal(0, server.EndInput());
                server.Dispose();
                server = Peer.RestartedServer(servers, name, file);
            }

            Assert.Equal(0, client.EndInput());
            string said = client.Rest().Trim();
            Assert.True(said.Split(' ')[1] == "0", "calls, failed calls, and the first of these: " + said);
            Assert.Equal(0, server.EndInput());
            long[] handled = MemoryMarshal.Cast<byte, long>(File.ReadAllBytes(file)).ToArray();
            Assert.Equal([], handled.GroupBy(static number => number).Where(static same => same.Count() > 1).Select(static same => same.Key));
            Assert.Equal(long.Parse(said.Split(' ')[0], CultureInfo.InvariantCulture), handled.Length);
        }
        finally
        {
            server.Dispose();
            File.Delete(file);
        }
    }

    /// <summary>Clients that do not wait for a server: what is made while there is none fails, unsent. Everything else is answered by the one server or the next: also what waits
    /// for room in the ring of a client that reads slowly, whole streams, and calls whose handlers call back.</summary>
    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public async Task WhatADefaultClientIsToldIsSo(Language language)
    {
        string name = Repository.NewName();
        string file = Path.Combine(Path.GetTempPath(), name);
        OtherProcess server = Peer.RestartedServer(language, name, file);
        try
        {
            var options = new RpcClientOptions();
            options.Services.Add(TestsBackRpc.Service(new PlainBack()));
            using RpcClient client = RpcClient.Connect(name, options);
            using RpcClient narrow = RpcClient.Connect(name, new RpcClientOptions { ToClientCapacity = 4096 });
            ITests tests = TestsRpc.Client(client);
            bool over = false;
            bool IsOver() => Volatile.Read(ref over);
            var calls = new CountedCalls();
            for (int i = 0; i < 3; i++)
                calls.CallInTurn(client, IsOver);
            calls.CallInBursts(client, 64, 200, IsOver);
            calls.CallInBursts(narrow, 64, 1500, IsOver);
            int streams = 0, relays = 0, notes = 0;
            calls.Begin(() => Repeat(IsOver, () => ReadAll(tests).GetAwaiter().GetResult(), ref streams));
            calls.Begin(() => Repeat(IsOver, () => Relay(tests), ref relays));
            calls.Begin(() => Repeat(IsOver, () => tests.Note(calls.Next(64)), ref notes));
            for (int restart = 0; restart < _restarts / 2; restart++)
            {
                int answered = calls.Answered + 500, streamed = Volatile.Read(ref streams) + 5, relayed = Volatile.Read(ref relays) + 5;
                Watchdog.Until(
                    () => calls.Answered > answered && Volatile.Read(ref streams) > streamed && Volatile.Read(ref relays) > relayed, "the server to be called");
                Assert.Equal(0, server.EndInput());
                server.Dispose();
                server = Peer.RestartedServer(language, name, file);
            }

            Volatile.Write(ref over, true);
            await calls.Over();
            Assert.Equal(0, server.EndInput());
            calls.Check(File.ReadAllBytes(file), mayBeUnknown: false);
        }
        finally
        {
            server.Dispose();
            File.Delete(file);
        }
    }

    /// <summary>Again and again. What fails says that nobody has handled it.</summary>
    private static void Repeat(Func<bool> isOver, Action call, ref int done)
    {
        while (!isOver())
        {
            try
            {
                call();
                Interlocked.Increment(ref done);
            }
            catch (RpcCallException e)
            {
                Assert.True(e.Status == RpcStatus.Unavailable && e.IsUnsent, e.Status + ": " + e.Message);
                Thread.Sleep(1);
            }
        }
    }

    private static async Task ReadAll(ITests tests)
    {
        int items = 0;
        try
        {
            await foreach (Blob item in tests.Count(new CountRequest { Count = 200, Size = 100 }))
                items++;
        }
        catch (RpcCallException) when (items != 0)
        {
            Assert.Fail("a stream ended after " + items + " items");
        }

        Assert.Equal(200, items);
    }

    private static void Relay(ITests tests) => Assert.Equal("3"u8.ToArray(), tests.RelayAsync(new CountRequest { Count = 3, Size = 50 }).GetAwaiter().GetResult().Data);

    private sealed class PlainBack : ITestsBack
    {
        public Task<Blob> BackAsync(Blob request, CancellationToken cancel = default) => Task.FromResult(request);

        public IAsyncEnumerable<Blob> Feed(CountRequest request, CancellationToken cancel = default) => throw new NotSupportedException();
    }
}
