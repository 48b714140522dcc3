using System;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Each shape that a generated method can have.</summary>
[IpcService("shapes.v1", Callback = typeof(IShapeEvents))]
[IpcFault(typeof(Limit))]
public interface IShapes
{
    Task<long> SumAsync(long start, IAsyncEnumerable<int> values, CancellationToken cancel = default);

    IAsyncEnumerable<string> Repeat(int times, IAsyncEnumerable<string> words, CancellationToken cancel = default);

    [IpcOneWay]
    void Note(string line, int number);

    [IpcOneWay]
    Task NoteAsync(string line, int number, CancellationToken cancel = default);

    Task<string> BuildAsync(string what, int steps, IProgress<int> progress, CancellationToken cancel = default);

    [IpcInline]
    int Quick(int value);

    void Refuse(int max);

    Task<string> AskBackAsync(string question);
}

[IpcService("shapes.events.v1")]
public interface IShapeEvents
{
    Task<string> AnswerAsync(string question);
}

/// <summary>What an error carries.</summary>
[DataContract, IpcReserved(2)]
public sealed class Limit
{
    [DataMember(Order = 1)]
    public int Max { get; set; }
}
