using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>The contract served in C#. Tells when a caller's token fires.</summary>
internal sealed class ManagedServer : ITests
{
    public TaskCompletionSource SleepBegun { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource SleepCancelled { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource CountEnded { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Blob Echo(Blob request) => request;

    public Task<Blob> EchoAsync(Blob request, CancellationToken cancel = default) => Task.FromResult(request);

    public Blob Fail(FailRequest request) => throw new RpcException((RpcStatus)request.Status, request.Text);

    public async Task<Blob> SleepAsync(SleepRequest request, CancellationToken cancel = default)
    {
        SleepBegun.TrySetResult();
        try
        {
            await Task.Delay(request.Ms, cancel);
        }
        catch (OperationCanceledException)
        {
            SleepCancelled.TrySetResult();
            throw;
        }
        return new Blob();
    }

    public async IAsyncEnumerable<Blob> Count(CountRequest request, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        try
        {
            for (int number = 0; number < request.Count; number++)
            {
                yield return new Blob { Data = Repository.Pattern(number, request.Size) };
                await Task.CompletedTask;
            }
        }
        finally
        {
            CountEnded.TrySetResult();
        }
    }
}
