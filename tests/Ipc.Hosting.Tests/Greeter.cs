using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting.Tests;

public sealed class Greeter : IGreeter
{
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _mayAnswer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Greeting { get; set; } = "Hello, ";

    /// <summary>Completes when a call to <see cref="Wait"/> is being handled.</summary>
    public Task Entered => _entered.Task;

    public void LetAnswer() => _mayAnswer.SetResult();

    public string Greet(string name) => name == "nobody" ? throw new InvalidOperationException("there is nobody") : Greeting + name;

    public async ValueTask<string> Wait(string name, CancellationToken cancel = default)
    {
        _entered.TrySetResult();
        await _mayAnswer.Task.WaitAsync(cancel);
        return Greet(name);
    }
}
