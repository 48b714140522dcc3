using System;
using System.Threading.Tasks;
using Ipc.Rpc.Serializers.Tests.Contract;

namespace Ipc.Rpc.Serializers.Tests;

/// <summary>Progress of which the newest counts: reports may replace each other, the last one arrives.</summary>
internal sealed class Latest : IProgress<Item>
{
    private static readonly TimeSpan _watchdog = TimeSpan.FromSeconds(20);

    private readonly object _gate = new();
    private readonly TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private uint _newest;
    private uint _wanted = uint.MaxValue;

    public void Report(Item value)
    {
        lock (_gate)
        {
            _newest = value.Count;
            if (_newest >= _wanted)
                _changed.TrySetResult();
        }
    }

    /// <summary>Completes when this or a later step has been reported.</summary>
    public Task Reached(uint step)
    {
        lock (_gate)
        {
            _wanted = step;
            if (_newest >= step)
                _changed.TrySetResult();
        }

        return _changed.Task.WaitAsync(_watchdog);
    }
}
