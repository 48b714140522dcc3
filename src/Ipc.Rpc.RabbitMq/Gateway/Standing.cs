using System;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What a part of a gateway has to say of itself. Each change is told once.</summary>
internal sealed class Standing(Action<RabbitMqGatewayChange>? told)
{
    private volatile string? _trouble = "It is starting.";

    /// <summary>Why it does not serve; <see langword="null"/> if it does.</summary>
    public string? Trouble => _trouble;

    /// <summary>On one thread at a time.</summary>
    /// <param name="trouble">Why it does not serve; <see langword="null"/> if it does.</param>
    public void Set(string? trouble)
    {
        if (trouble == _trouble)
            return;
        _trouble = trouble;
        try
        {
            told?.Invoke(new RabbitMqGatewayChange(trouble is null, trouble));
        }
#pragma warning disable CA1031 // the user's own
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("Ipc.Rpc.RabbitMq: who is told of a gateway failed", null, e);
        }
    }
}
