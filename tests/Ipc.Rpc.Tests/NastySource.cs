using System;
using System.Threading.Tasks.Sources;

namespace Ipc.Rpc.Tests;

/// <summary>A task whose source fails when it is asked how the task is.</summary>
internal sealed class NastySource : IValueTaskSource<int>
{
    public ValueTaskSourceStatus GetStatus(short token) => throw new Nasty();

    public int GetResult(short token) => throw new Nasty();

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => throw new Nasty();
}
