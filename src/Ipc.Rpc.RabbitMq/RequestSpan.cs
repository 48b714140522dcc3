using System;
using System.Diagnostics;

namespace Ipc.Rpc.RabbitMq;

/// <summary>The span of a request at a broker, with the attributes of OpenTelemetry's conventions for messaging and of
/// its addition for RabbitMQ. Whoever listens is the user's: what is thrown there is traced, and the request goes
/// on.</summary>
/// <remarks>Their names are those of calls everywhere, SERVICE/METHOD, not the conventions' "publish QUEUE": the queue
/// is an attribute. What expects an answer is of the kinds Client and Server, a one-way call of Producer and Consumer:
/// its sender's span ends when the broker has it.</remarks>
internal sealed class RequestSpan : IDisposable
{
    private const string Destination = "messaging.destination.name";

    private static readonly ActivitySource _source = new("Ipc.Rpc.RabbitMq");

    private readonly Activity _activity;
    private readonly Activity? _outer;

    private RequestSpan(Activity activity, Activity? outer)
    {
        _activity = activity;
        _outer = outer;
    }

    /// <summary>A request is being sent, with all its attempts; <see langword="null"/> if nobody listens.</summary>
    public static RequestSpan? Sending(RpcMethod method, RabbitMqAddress address, bool isOneWay)
    {
        RequestSpan? span = Start(method.FullName, isOneWay ? ActivityKind.Producer : ActivityKind.Client, default);
        span?._activity
            .SetTag("messaging.operation.name", "publish")
            .SetTag("messaging.operation.type", "send")
            .SetTag(Destination, address.WorkQueue)
            .SetTag("messaging.rabbitmq.destination.routing_key", address.WorkQueue)
            .SetTag("rpc.service", method.Service)
            .SetTag("rpc.method", method.Name);
        return span;
    }

    /// <summary>A request is being handled; <see langword="null"/> if nobody listens.</summary>
    public static RequestSpan? Handling(Request request)
    {
        RequestSpan? span = Start(
            request.Method,
            request.ReplyTo is null ? ActivityKind.Consumer : ActivityKind.Server,
            Wire.TraceOf(request.Headers));
        span?._activity
            .SetTag("messaging.operation.name", "process")
            .SetTag("messaging.operation.type", "process")
            .SetTag(Destination, request.RoutingKey)
            .SetTag("messaging.rabbitmq.destination.routing_key", request.RoutingKey)
            .SetTag("messaging.rabbitmq.message.delivery_tag", (long)request.Tag)
            .SetTag("messaging.message.id", request.MessageId)
            .SetTag("messaging.message.body.size", request.Body.Length)
            .SetTag("rpc.service", request.Service)
            .SetTag("rpc.method", request.Name);
        return span;
    }

    /// <summary>The request has its id, and its size.</summary>
    public void Sent(Outgoing request) =>
        _activity.SetTag("messaging.message.id", request.MessageId)
            .SetTag("messaging.message.body.size", request.Body.Length);

    /// <summary>The request has failed.</summary>
    public void Failed(Exception failure) =>
        _activity.SetStatus(ActivityStatusCode.Error, ErrorText.Of(failure)).SetTag(
            "error.type",
            failure is RpcCallException { Status: var status } ? status.ToString() : failure.GetType().FullName);

    /// <summary>It is over, wherever: what is under way here stays so. Throws nothing.</summary>
    public void Dispose()
    {
        Activity? here = Activity.Current == _activity ? _outer : Activity.Current;
        try
        {
            try
            {
                _activity.Dispose();
            }
            finally
            {
                if (Activity.Current != here)
                    Activity.Current = here;
            }
        }
#pragma warning disable CA1031 // a listener's
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a request had ended, " + _activity.OperationName, null, e);
        }
    }

    private static RequestSpan? Start(string name, ActivityKind kind, ActivityContext parent)
    {
        Activity? outer = Activity.Current;
        try
        {
            try
            {
                if (_source.StartActivity(name, kind, parent) is not { } activity)
                    return null;
                activity.SetTag("messaging.system", "rabbitmq").SetTag("rpc.system", "ipc");
                return new RequestSpan(activity, outer);
            }
            catch
            {
                Activity.Current = outer; // which runs code of the user's, too
                throw;
            }
        }
#pragma warning disable CA1031 // a listener's failure: it learns no more of this request
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a request began, " + name, null, e);
            return null;
        }
    }
}
