using System;
using System.Collections.Generic;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Ipc.Rpc.RabbitMq;

/// <summary>A message that came from the work queue. Anybody may have put it there: each field is checked.</summary>
internal sealed class Request
{
    private readonly IReadOnlyBasicProperties _properties;

    /// <summary>Copies what the client takes back.</summary>
    public Request(BasicDeliverEventArgs message)
    {
        _properties = message.BasicProperties;
        Tag = message.DeliveryTag;
        RoutingKey = message.RoutingKey;
        Body = message.Body.ToArray();
        Headers = _properties.Headers;
        Deliveries = 1 + (Wire.NumberOf(Headers, "x-delivery-count") ?? 0);
        IsRepeated = message.Redelivered || Deliveries > 1 || Wire.NumberOf(Headers, Wire.Attempt) is > 1;
        MessageId = _properties.MessageId ?? string.Empty;
        CorrelationId = _properties.CorrelationId;
        ReplyTo = _properties.ReplyTo;
        Expires = Wire.TimeOf(_properties.Expiration);
        Stream = StreamTerms.Of(Headers, out string? wrong);
        WrongStream = wrong;
        string method = Wire.TextOf(Headers, Wire.Method) ?? string.Empty;
        int slash = method.LastIndexOf('/');
        if (_properties.Type != Wire.Type)
            Foreign = "its type is \"" + Short(_properties.Type) + "\", not \"" + Wire.Type + "\"";
        else if (slash <= 0 || slash == method.Length - 1)
            Foreign = "its header " + Wire.Method + " is \"" + Short(method) + "\", not SERVICE/METHOD";
        else if (MessageId.Length is 0 or > 64)
            Foreign = "its message-id has " + MessageId.Length + " characters; 1 to 64 are right";
        else if (ReplyTo is not null && CorrelationId is not { Length: > 0 })
            Foreign = "it has a reply-to and no correlation-id";
        else if (ReplyTo is not null && !(Wire.Fits(ReplyTo) && Wire.Fits(CorrelationId)))
            Foreign = "its reply-to or correlation-id is no UTF-8";
        else if (ReplyTo is null && Stream is not null)
            Foreign = "it asks for a stream, or announces one, and has no reply-to";
        else
            (Service, Name) = (method[..slash], method[(slash + 1)..]);
        Method = method;
    }

    public ulong Tag { get; }

    /// <summary>The queue's name, if its sender has sent it there and not to an exchange.</summary>
    public string RoutingKey { get; }

    public byte[] Body { get; }

    public IDictionary<string, object?>? Headers { get; }

    /// <summary>How often it was delivered, this time included, as far as the queue counts that.</summary>
    public long Deliveries { get; }

    /// <summary>Whether it may have been handled before.</summary>
    public bool IsRepeated { get; }

    public string MessageId { get; }

    public string? CorrelationId { get; }

    /// <summary>Where the answer goes; <see langword="null"/> for a one-way call.</summary>
    public string? ReplyTo { get; }

    public TimeSpan? Expires { get; }

    /// <summary>In which directions there is a stream, and how it is wanted; <see langword="null"/> if there is
    /// none.</summary>
    public StreamTerms? Stream { get; }

    /// <summary>Why there can be no stream as it wants it.</summary>
    public string? WrongStream { get; }

    /// <summary>Why it is no request; <see langword="null"/> if it is one.</summary>
    public string? Foreign { get; }

    public string Method { get; }

    public string Service { get; } = string.Empty;

    public string Name { get; } = string.Empty;

    /// <summary>For sending it on, without what cannot be sent, and without what the broker would act on: it sends a
    /// message to the queues that CC and BCC name, the work queue perhaps, and takes no user-id but the
    /// sender's.</summary>
    public BasicProperties CopyOfProperties() => new(_properties)
    {
        Headers = CopyOf(_properties.Headers),
        AppId = Fitting(_properties.AppId),
        ClusterId = Fitting(_properties.ClusterId),
        ContentEncoding = Fitting(_properties.ContentEncoding),
        ContentType = Fitting(_properties.ContentType),
        CorrelationId = Fitting(_properties.CorrelationId),
        MessageId = Fitting(_properties.MessageId),
        ReplyTo = Fitting(_properties.ReplyTo),
        Type = Fitting(_properties.Type),
        UserId = null,
    };

    private static Dictionary<string, object?>? CopyOf(IDictionary<string, object?>? headers)
    {
        if (headers is null)
            return null;
        Dictionary<string, object?> copy = new(headers);
        copy.Remove("CC");
        copy.Remove("BCC");
        return copy;
    }

    private static string? Fitting(string? text) => Wire.Fits(text) ? text : null;

    private static string Short(string? text) =>
        text is null ? string.Empty : text.Length <= 60 ? text : text[..60] + "...";
}
