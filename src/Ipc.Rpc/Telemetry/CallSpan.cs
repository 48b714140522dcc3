using System;
using System.Diagnostics;

namespace Ipc.Rpc;

/// <summary>One call while somebody listens: from its start to its end, at the caller or at the callee.</summary>
/// <remarks>Where nobody listened at the start it is <see langword="default"/>, and its end does nothing.</remarks>
internal readonly struct CallSpan
{
    private readonly RpcMethod? _method;
    private readonly bool _atServer;
#if NET
    private readonly long _startedAt;
    private readonly Activity? _activity;
    private readonly Activity? _outer;

    private CallSpan(RpcMethod method, bool atServer, Activity? activity, Activity? outer)
    {
        _method = method;
        _atServer = atServer;
        _activity = activity;
        _outer = outer;
        _startedAt = Stopwatch.GetTimestamp();
    }
#else
    private CallSpan(RpcMethod method, bool atServer)
    {
        _method = method;
        _atServer = atServer;
    }
#endif

    /// <summary>Somebody listened when it began, and it is theirs to be ended.</summary>
    public bool IsOpen => _method is not null;

    /// <summary>A call begins at the caller. Its activity, if there is one, is the current one from here on.</summary>
    public static CallSpan Client(RpcMethod method)
    {
        RpcEvents.Log.CallStart(method.FullName, false);
#if NET
        Activity? outer = Activity.Current;
        return new CallSpan(
            method,
            false,
            Describe(RpcTelemetry.Source.StartActivity(method.FullName, ActivityKind.Client), method),
            outer);
#else
        return new CallSpan(method, false);
#endif
    }

    /// <summary>A call begins at the callee, under the caller's span if <paramref name="head"/> names one. Its activity
    /// is the current one from here on.</summary>
    public static CallSpan Server(RpcMethod method, CallHead? head)
    {
        RpcEvents.Log.CallStart(method.FullName, true);
#if NET
        Activity? outer = Activity.Current;
        Activity? activity = null;
        if (RpcTelemetry.Source.HasListeners())
        {
            _ = TraceContext.TryRead(head, out ActivityContext parent);
            activity = Describe(
                RpcTelemetry.Source.StartActivity(method.FullName, ActivityKind.Server, parent), method);
        }

        return new CallSpan(method, true, activity, outer);
#else
        return new CallSpan(method, true);
#endif
    }

    /// <summary>It goes on when this method's caller does: its activity is not the current one any more.</summary>
    public static void LeaveOpen(in CallSpan span)
    {
#if NET
        if (span._activity is not null && ReferenceEquals(Activity.Current, span._activity))
            Activity.Current = span._outer;
#endif
    }

    /// <summary>It has ended.</summary>
    public void End(RpcStatus status, Exception? failure)
    {
        if (_method is null)
            return;

        RpcEvents.Log.CallStop(_method.FullName, _atServer, (int)status);
#if NET
        RpcTelemetry.Ended(_method, _atServer, status, _startedAt);
        if (_activity is null)
            return;

        _activity.SetTag("rpc.ipc.status_code", (int)status);
        if (status != RpcStatus.Ok)
        {
            _activity.SetTag("error.type", status.ToString());
            if (status != RpcStatus.Cancelled) // which is what somebody wanted
                _activity.SetStatus(ActivityStatusCode.Error, failure is null ? null : ErrorText.Of(failure));
            if (failure is not null && _activity.IsAllDataRequested &&
                !(status == RpcStatus.Cancelled && failure is OperationCanceledException))
            {
                _activity.AddEvent(Describe(failure));
            }
        }

        _activity.Dispose();
#endif
    }

    /// <summary>It has ended with an exception, or without one.</summary>
    public void End(Exception? failure) => End(StatusOf(failure), failure);

    /// <summary>The status that a caller's exception stands for.</summary>
    public static RpcStatus StatusOf(Exception? failure) => failure switch
    {
        null => RpcStatus.Ok,
        RpcCallException e => e.Status,
        OperationCanceledException => RpcStatus.Cancelled,
        _ => RpcStatus.Unknown,
    };

#if NET
    /// <summary>What OpenTelemetry's conventions call an exception.</summary>
    private static ActivityEvent Describe(Exception failure) => new("exception", tags: new ActivityTagsCollection
    {
        { "exception.type", failure.GetType().FullName },
        { "exception.message", ErrorText.Of(failure) },
        { "exception.stacktrace", ErrorText.Whole(failure) },
    });

    private static Activity? Describe(Activity? activity, RpcMethod method)
    {
        if (activity is { IsAllDataRequested: true })
        {
            activity.SetTag("rpc.system", RpcTelemetry.System);
            activity.SetTag("rpc.service", method.Service);
            activity.SetTag("rpc.method", method.Name);
        }

        return activity;
    }
#endif
}
