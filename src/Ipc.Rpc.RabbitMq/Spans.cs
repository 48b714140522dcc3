using System;
using System.Diagnostics;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The spans of requests at a broker, with the attributes of OpenTelemetry's conventions for messaging and of
/// its addition for RabbitMQ.</summary>
/// <remarks>Their names are those of calls everywhere, SERVICE/METHOD, not the conventions' "publish QUEUE": the queue
/// is an attribute. What expects an answer is of the kinds Client and Server, a one-way call of Producer and Consumer:
/// its sender's span ends when the broker has it.</remarks>
internal static class Spans
{
    private const string Destination = "messaging.destination.name";

    private static readonly ActivitySource _source = new("Ipc.Rpc.RabbitMq");

    /// <summary>A request is being sent, with all its attempts; <see langword="null"/> if nobody listens.</summary>
    public static Activity? Sending(RpcMethod method, RabbitMqAddress address, bool isOneWay) =>
        Start(method.FullName, isOneWay ? ActivityKind.Producer : ActivityKind.Client, default)?
            .SetTag("messaging.operation.name", "publish")
            .SetTag("messaging.operation.type", "send")
            .SetTag(Destination, address.WorkQueue)
            .SetTag("messaging.rabbitmq.destination.routing_key", address.WorkQueue)
            .SetTag("rpc.service", method.Service)
            .SetTag("rpc.method", method.Name);

    /// <summary>It has its id, and its size.</summary>
    public static void Sent(Activity? sending, Outgoing request) =>
        sending?.SetTag("messaging.message.id", request.MessageId)
            .SetTag("messaging.message.body.size", request.Body.Length);

    /// <summary>A request is being handled; <see langword="null"/> if nobody listens.</summary>
    public static Activity? Handling(Request request) =>
        Start(
            request.Method,
            request.ReplyTo is null ? ActivityKind.Consumer : ActivityKind.Server,
            Wire.TraceOf(request.Headers))?
            .SetTag("messaging.operation.name", "process")
            .SetTag("messaging.operation.type", "process")
            .SetTag(Destination, request.RoutingKey)
            .SetTag("messaging.rabbitmq.destination.routing_key", request.RoutingKey)
            .SetTag("messaging.rabbitmq.message.delivery_tag", (long)request.Tag)
            .SetTag("messaging.message.id", request.MessageId)
            .SetTag("messaging.message.body.size", request.Body.Length)
            .SetTag("rpc.service", request.Service)
            .SetTag("rpc.method", request.Name);

    /// <summary>It has failed.</summary>
    /// <returns>The failure, to be thrown.</returns>
    public static T Failed<T>(Activity? activity, T failure)
        where T : Exception
    {
        activity?.SetStatus(ActivityStatusCode.Error, failure.Message).SetTag(
            "error.type",
            failure is RpcCallException { Status: var status } ? status.ToString() : failure.GetType().FullName);
        return failure;
    }

    /// <summary>It is over, wherever: what is under way here stays so.</summary>
    public static void End(Activity activity)
    {
        Activity? here = Activity.Current;
        activity.Dispose();
        if (here != activity)
            Activity.Current = here;
    }

    private static Activity? Start(string name, ActivityKind kind, ActivityContext parent) =>
        _source.StartActivity(name, kind, parent)?
            .SetTag("messaging.system", "rabbitmq")
            .SetTag("rpc.system", "ipc");
}
