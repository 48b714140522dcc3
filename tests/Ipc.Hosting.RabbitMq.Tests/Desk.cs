using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Hosting.RabbitMq.Tests;

public class Desk : IDesk
{
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _mayAnswer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Greeting { get; set; } = "Hello, ";

    /// <summary>Completes when a call to <see cref="WaitAsync"/> is being handled.</summary>
    public Task Entered => _entered.Task;

    public void LetAnswer() => _mayAnswer.SetResult();

    public string Greet(string name) => name switch
    {
        "nobody" => throw new InvalidOperationException("there is nobody"),
        "thief" => throw new RpcCallException(RpcStatus.PermissionDenied, "not you"),
        _ => Greeting + name,
    };

    public async ValueTask<string> WaitAsync(string name, CancellationToken cancel = default)
    {
        _entered.TrySetResult();
        await _mayAnswer.Task.WaitAsync(cancel);
        return Greet(name);
    }

    public Task NoteAsync(string name, CancellationToken cancel = default)
    {
        _ = Greet(name);
        return Task.CompletedTask;
    }
}
