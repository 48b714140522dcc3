using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace Ipc.Rpc.Peer;

/// <summary>A server with a store, which kills itself at a place that a test names. What it does stands in a log, a line each.</summary>
internal static class Once
{
    public static int Serve(string name, string path, string log, string where)
    {
        var deadly = new Deadly(where);
        using var file = new FileOnceStore(path);
        var service = new OnceService(what =>
        {
            deadly.Pass("before-doing");
            File.AppendAllText(log, what + "\n");
            deadly.Pass("after-doing");
        });
        var options = new RpcServerOptions();
        options.Once.Store = new Store(file, deadly);
        using RpcServer server = RpcServer.Start(name, options, OnceServiceRpc.Service(service));
        Console.WriteLine("ready");
        Console.In.ReadToEnd();
        return 0;
    }

    private sealed class Deadly(string where)
    {
        public void Pass(string place)
        {
            if (place != where)
                return;
            using var self = Process.GetCurrentProcess();
            self.Kill();
            Thread.Sleep(Timeout.Infinite);
        }
    }

    private sealed class Store(IOnceStore store, Deadly deadly) : IOnceStore
    {
        public OnceStoreContents Load() => store.Load();

        public void Begin(ReadOnlyMemory<byte> call)
        {
            deadly.Pass("before-begin");
            store.Begin(call);
            deadly.Pass("after-begin");
        }

        public void End(ReadOnlyMemory<byte> call, ReadOnlyMemory<byte> outcome)
        {
            deadly.Pass("before-end");
            store.End(call, outcome);
            deadly.Pass("after-end");
        }

        public void Forget(IReadOnlyList<ReadOnlyMemory<byte>> calls, DateTime forgottenTo) => store.Forget(calls, forgottenTo);
    }
}
