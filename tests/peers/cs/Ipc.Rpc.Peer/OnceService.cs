using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Peer;

/// <summary>Counts what it does.</summary>
public sealed class OnceService : IOnceService
{
    private readonly ConcurrentDictionary<string, Gate> _gates = new();
    private readonly Action<string>? _doing;
    private int _done;

    /// <param name="doing">Called whenever something is done.</param>
    public OnceService(Action<string>? doing = null) => _doing = doing;

    /// <summary>How often something has been done.</summary>
    public int Done => Volatile.Read(ref _done);

    public Gate GateOf(string name) => _gates.GetOrAdd(name, static _ => new Gate());

    public int Do(string what)
    {
        _doing?.Invoke(what);
        return Interlocked.Increment(ref _done);
    }

    public async ValueTask<int> DoAsync(string what, CancellationToken cancel = default)
    {
        await Task.Yield();
        return Do(what);
    }

    public int Also(string what) => Do(what);

    public int Fail(string what)
    {
        Do(what);
        throw new RpcCallException(RpcStatus.NotFound, "there is no " + what, [new RpcDetail("x/Detail", new byte[] { 1, 2, 3 })]);
    }

    public int Hold(string gate, CancellationToken cancel = default)
    {
        int number = Do(gate);
        Gate own = GateOf(gate);
        own.Enter();
        try
        {
            own.Opened.Wait(cancel);
        }
        catch (OperationCanceledException)
        {
            own.Cancel();
            throw;
        }

        return number;
    }

    public byte[] Blob(int size)
    {
        Do("blob");
        return new byte[size];
    }
}
