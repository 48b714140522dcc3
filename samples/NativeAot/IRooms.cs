using System;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace NativeAot;

/// <summary>Calls of every shape, with messages of every kind of field that a codec treats in its own way.</summary>
[IpcService("rooms.v1", Callback = typeof(IRoomEvents))]
public interface IRooms
{
    Reading Read(string room);

    ValueTask<Summary> Summarize(IReadOnlyList<string> rooms, CancellationToken cancellationToken = default);

    IAsyncEnumerable<Reading> Watch(string room, int count, CancellationToken cancellationToken = default);

    /// <summary>How many readings there were of each room.</summary>
    ValueTask<Dictionary<string, int>> RecordAsync(string source, IAsyncEnumerable<Reading> readings, CancellationToken cancellationToken = default);

    /// <summary>Each reading as the room has it.</summary>
    IAsyncEnumerable<Reading> Correct(double offset, IAsyncEnumerable<Reading> readings, CancellationToken cancellationToken = default);

    /// <summary>The room's temperature at the end, the way to it as progress.</summary>
    Task<double> HeatAsync(string room, double target, IProgress<Reading> progress, CancellationToken cancellationToken = default);

    /// <summary>Asks the caller about the room, through <see cref="IRoomEvents"/>.</summary>
    Task<string> ConfirmAsync(string room);

    [IpcOneWay]
    void Note(string line);

    /// <summary>What was noted.</summary>
    List<string> Notes();
}

/// <summary>What the caller offers.</summary>
[IpcService("rooms.events.v1")]
public interface IRoomEvents
{
    ValueTask<string> AnswerAsync(Reading about);
}

[DataContract]
public sealed record Reading(
    [property: DataMember(Order = 1)] string Room,
    [property: DataMember(Order = 2)] double Celsius,
    [property: DataMember(Order = 3)] DateTime Taken,
    [property: DataMember(Order = 4)] Quality Quality);

[DataContract]
public sealed record Summary(
    [property: DataMember(Order = 1)] Dictionary<string, Reading> Latest,
    [property: DataMember(Order = 2)] decimal Average,
    [property: DataMember(Order = 3)] Guid Id,
    [property: DataMember(Order = 4)] int? Missing);

public enum Quality
{
    Unknown = 0,
    Good = 1,
    Stale = 2,
}
