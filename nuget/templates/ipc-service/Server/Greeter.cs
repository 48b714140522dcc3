using System.Runtime.CompilerServices;

namespace IpcService._1;

/// <summary>One object answers all clients, several calls at once: protect what they share.</summary>
public sealed class Greeter : IGreeter
{
    private int _count;

    public Task<Greeting> GreetAsync(GreetRequest request, CancellationToken cancellationToken = default)
        => Task.FromResult(Next(request));

    public async IAsyncEnumerable<Greeting> Watch(
        GreetRequest request, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using PeriodicTimer timer = new(TimeSpan.FromMilliseconds(200));
        do
            yield return Next(request);
        while (await timer.WaitForNextTickAsync(cancellationToken)); // cancelled when the client leaves
    }

    private Greeting Next(GreetRequest request) => new($"Hello, {request.Name}!", Interlocked.Increment(ref _count));
}
