using System;
using System.Collections.Concurrent;
using System.Linq;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting.Tests;

/// <summary>Keeps what the library logs.</summary>
internal sealed class LoggedEvents : ILoggerProvider
{
    private readonly ConcurrentQueue<(int Id, LogLevel Level, string Text)> _events = new();
    private readonly ConcurrentQueue<Exception> _exceptions = new();

    /// <summary>What was logged with a stack.</summary>
    public Exception[] Exceptions => _exceptions.ToArray();

    public (LogLevel Level, string Text)[] Of(int id) => _events.Where(e => e.Id == id).Select(e => (e.Level, e.Text)).ToArray();

    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName.StartsWith("Ipc.", StringComparison.Ordinal));

    public void Dispose()
    {
    }

    private sealed class Logger(LoggedEvents owner, bool keeps) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => keeps;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (keeps)
            {
                owner._events.Enqueue((eventId.Id, logLevel, formatter(state, exception)));
                if (exception is not null)
                    owner._exceptions.Enqueue(exception);
            }
        }
    }
}
