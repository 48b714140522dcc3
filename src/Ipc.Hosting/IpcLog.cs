using System;
using Ipc.Rpc;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>Everything that is logged, with the numbers that it is found by.</summary>
internal static partial class IpcLog
{
    [LoggerMessage(1, LogLevel.Information, "Server {Server} serves {Services}.")]
    public static partial void Serving(ILogger logger, string server, string services);

    [LoggerMessage(2, LogLevel.Error, "Server {Server} could not start: {Reason}")]
    public static partial void NotStarted(ILogger logger, string server, string reason);

    [LoggerMessage(3, LogLevel.Information, "Server {Server} is stopping with {Connections} clients connected.")]
    public static partial void Stopping(ILogger logger, string server, int connections);

    [LoggerMessage(4, LogLevel.Information, "Server {Server} has stopped.")]
    public static partial void Stopped(ILogger logger, string server);

    [LoggerMessage(5, LogLevel.Critical, "Server {Server} failed: it serves nobody any more.")]
    public static partial void ServerFailed(ILogger logger, string server, Exception? failure);

    [LoggerMessage(6, LogLevel.Debug, "Server {Server} accepts process {Process}.")]
    public static partial void Accepted(ILogger logger, string server, int process);

    [LoggerMessage(7, LogLevel.Warning, "Server {Server} refuses process {Process}: {Reason}")]
    public static partial void Refused(ILogger logger, string server, int process, string reason);

    [LoggerMessage(8, LogLevel.Information, "Connected to {Server}, process {Process}.")]
    public static partial void Connected(ILogger logger, string server, int process);

    [LoggerMessage(10, LogLevel.Information, "The connection to {Server}, process {Process}, is over: {Reason}")]
    public static partial void Lost(ILogger logger, string server, int process, string reason);

    [LoggerMessage(11, LogLevel.Error, "{Method} of server {Server}, called by process {Process}, failed with {Status}.")]
    public static partial void HandlerFailed(ILogger logger, string method, string server, int process, RpcStatus status, Exception? exception);

    [LoggerMessage(12, LogLevel.Information, "{Method} of server {Server}, called by process {Process}, ended with {Status}: {Text}")]
    public static partial void HandlerRefused(ILogger logger, string method, string server, int process, RpcStatus status, string text);

    [LoggerMessage(13, LogLevel.Error, "What a call of {Method} of server {Server} was handled with could not be disposed.")]
    public static partial void ScopeFailed(ILogger logger, string method, string server, Exception? exception);

    [LoggerMessage(14, LogLevel.Information, "Worker {Worker} takes messages of {Source}.")]
    public static partial void Working(ILogger logger, string worker, string source);

    [LoggerMessage(15, LogLevel.Information, "Worker {Worker} has stopped, after {Handled} messages.")]
    public static partial void WorkerStopped(ILogger logger, string worker, long handled);

    [LoggerMessage(16, LogLevel.Critical, "Worker {Worker} failed: it takes no messages any more.")]
    public static partial void WorkerFailed(ILogger logger, string worker, Exception? exception);

    [LoggerMessage(17, LogLevel.Warning, "A message of {Source} failed in worker {Worker}, attempt {Attempt} of {Attempts}; it is tried again in {Pause}.")]
    public static partial void Failing(ILogger logger, string source, string worker, int attempt, int attempts, TimeSpan pause, Exception? exception);

    [LoggerMessage(18, LogLevel.Error, "A message of {Source} of {Bytes} bytes was given up by worker {Worker} after {Attempts} attempts, and {Fate}.")]
    public static partial void Poisoned(ILogger logger, string source, int bytes, string worker, int attempts, string fate, Exception? exception);

    [LoggerMessage(19, LogLevel.Warning, "Worker {Worker} stops with messages in hand; they come again to whoever receives from {Source} next.")]
    public static partial void LeftInHand(ILogger logger, string worker, string source);

    [LoggerMessage(20, LogLevel.Warning, "Worker {Worker} has missed {Lost} messages of {Source}: it is too slow for them.")]
    public static partial void Missed(ILogger logger, string worker, long lost, string source);

    [LoggerMessage(21, LogLevel.Error, "The poison queue {Poison} is full; worker {Worker} keeps a message of {Source} for it, and tries again.")]
    public static partial void PoisonQueueFull(ILogger logger, string poison, string worker, string source);

    /// <summary>What a handler has thrown: with its stack, unless it was thrown to be answered.</summary>
    public static void Handler(ILogger logger, string server, RpcHandlerFailure failure)
    {
        if (failure.IsIntended)
            HandlerRefused(logger, failure.Method.FullName, server, failure.Peer.ProcessId, failure.Status, failure.Exception.Message);
        else
            HandlerFailed(logger, failure.Method.FullName, server, failure.Peer.ProcessId, failure.Status, failure.Exception);
    }

    [LoggerMessage(9, LogLevel.Warning, "No connection to {Server}: {Reason}")]
    public static partial void NotConnected(ILogger logger, string server, string reason);
}
