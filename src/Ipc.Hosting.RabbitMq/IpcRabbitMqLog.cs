using Ipc.Rpc;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting.RabbitMq;

/// <summary>What is logged beside that of Ipc.Hosting, whose numbers go on here.</summary>
internal static partial class IpcRabbitMqLog
{
    [LoggerMessage(22, LogLevel.Information, "Server {Server} serves {Services} at {Address}.")]
    public static partial void Serving(ILogger logger, string server, string services, string address);

    [LoggerMessage(23, LogLevel.Warning, "Server {Server} is not connected to {Address}, and tries again: {Reason}")]
    public static partial void ServerWaits(ILogger logger, string server, string address, string reason);

    [LoggerMessage(24, LogLevel.Information, "Server {Server} is stopping with {Requests} requests in hand.")]
    public static partial void Stopping(ILogger logger, string server, int requests);

    [LoggerMessage(
        25, LogLevel.Error, "Server {Server} has put message {Id} for {Method} into its dead-letter queue: {Reason}")]
    public static partial void DeadLettered(ILogger logger, string server, string id, string method, string reason);

    [LoggerMessage(26, LogLevel.Information, "Client {Client} is connected to {Address}.")]
    public static partial void Connected(ILogger logger, string client, string address);

    [LoggerMessage(27, LogLevel.Warning, "Client {Client} is not connected to {Address}, and tries again: {Reason}")]
    public static partial void ClientWaits(ILogger logger, string client, string address, string reason);

    [LoggerMessage(28, LogLevel.Error, "{Method} of server {Server}, called over its broker, failed with {Status}.")]
    public static partial void HandlerFailed(
        ILogger logger, string method, string server, RpcStatus status, System.Exception? exception);

    [LoggerMessage(
        29, LogLevel.Information,
        "{Method} of server {Server}, called over its broker, ended with {Status}: {Text}")]
    public static partial void HandlerRefused(
        ILogger logger, string method, string server, RpcStatus status, string text);

    /// <summary>What a handler has thrown: with its stack, unless it was thrown to be answered.</summary>
    public static void Handler(ILogger logger, string server, RpcHandlerFailure failure)
    {
        if (failure.IsIntended)
            HandlerRefused(logger, failure.Method.FullName, server, failure.Status, failure.Exception.Message);
        else
            HandlerFailed(logger, failure.Method.FullName, server, failure.Status, failure.Exception);
    }
}
