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
