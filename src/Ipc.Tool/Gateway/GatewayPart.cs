using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Tool;

/// <summary>One entry of the file, at work.</summary>
/// <param name="kind">Of which list it is.</param>
/// <param name="name">The name on this machine.</param>
/// <param name="service">The name at the broker.</param>
internal sealed class GatewayPart(string kind, string name, string service)
{
    private bool _isEnding; // [flag] its successor speaks for the name

    public string Kind { get; } = kind;

    public string Name { get; } = name;

    public string Service { get; } = service;

    /// <summary>An export, an import or a topic. Set once, when it has been started.</summary>
    public required Func<GatewayPart, IAsyncDisposable> Begin { private get; init; }

    private IAsyncDisposable? Work { get; set; }

    /// <summary>Whether what it tells is still of interest.</summary>
    public bool Speaks => !Volatile.Read(ref _isEnding);

    public bool IsServing => Trouble is null;

    private string? Trouble => Work switch
    {
        RabbitMqExport export => export.Trouble,
        RabbitMqImport import => import.Trouble,
        RabbitMqTopic topic => topic.Trouble,
        _ => "It has not begun.",
    };

    /// <exception cref="ArgumentException">What the file says of it makes no sense.</exception>
    public void Start() => Work = Begin(this);

    /// <summary>From here on somebody else speaks for it.</summary>
    public void Retire() => Volatile.Write(ref _isEnding, true);

    public GatewayStatus.Part Look() => Work switch
    {
        RabbitMqExport export => Status(export.Requests) with { InHand = export.RequestsInHand, DeadLetters = export.DeadLetters },
        RabbitMqImport import => Status(import.Requests) with { Clients = import.ConnectionCount, Methods = import.Methods },
        RabbitMqTopic topic => Status(topic.Sent + topic.Received) with { Lost = topic.Lost, Unfit = topic.Unfit },
        _ => Status(0),
    };

    /// <summary>Ends it in good order.</summary>
    public Task StopAsync(TimeSpan timeout) => Work switch
    {
        RabbitMqExport export => export.StopAsync(timeout, CancellationToken.None),
        RabbitMqImport import => import.StopAsync(timeout, CancellationToken.None),
        { } other => other.DisposeAsync().AsTask(),
        _ => Task.CompletedTask,
    };

    private GatewayStatus.Part Status(long passed) => new(Kind, Name, Service, Trouble, passed);
}
