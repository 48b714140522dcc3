using System;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ipc.Grpc.Tests;

/// <summary>What the server complains of.</summary>
internal sealed class ErrorLog : ILoggerProvider, ILogger
{
    public ConcurrentQueue<string> Errors { get; } = new();

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
        => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (IsEnabled(logLevel))
            Errors.Enqueue($"{formatter(state, exception)} {exception}");
    }

    public void Dispose()
    {
    }
}
