using System;
using System.Diagnostics;

namespace Ipc.Rpc;

/// <summary>One call while somebody listens: from its start to its end, at the caller or at the callee.</summary>
/// <remarks>Where nobody listened at the start it is <see langword="default"/>, and its end does nothing. Nothing here
/// throws: what a listener does is traced, and the call goes on.</remarks>
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
    public static CallSpan Client(RpcMethod method) => Start(method, false, null);

    /// <summary>A call begins at the callee, under the caller's span if <paramref name="head"/> names one. Its activity
    /// is the current one from here on.</summary>
    public static CallSpan Server(RpcMethod method, CallHead? head) => Start(method, true, head);

    /// <summary>It goes on when this method's caller does: its activity is not the current one any more.</summary>
    public static void LeaveOpen(in CallSpan span)
    {
#if NET
        if (span._activity is null || !ReferenceEquals(Activity.Current, span._activity))
            return;
        try
        {
            Activity.Current = span._outer;
        }
#pragma warning disable CA1031 // of who watches the current activity
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a call went on elsewhere", span._method, e);
        }
#endif
    }

    /// <summary>It has ended.</summary>
    public void End(RpcStatus status, Exception? failure)
    {
        if (_method is null)
            return;
        try
        {
            RpcEvents.Log.CallStop(_method.FullName, _atServer, (int)status);
#if NET
            try
            {
                RpcTelemetry.Ended(_method, _atServer, status, _startedAt);
            }
            finally
            {
                if (_activity is not null)
                    End(_activity, status, failure);
            }
#endif
        }
#pragma warning disable CA1031 // a listener's failure
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a call had ended", _method, e);
            LeaveOpen(in this); // its activity would stay the current one of whoever called
        }
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

    private static CallSpan Start(RpcMethod method, bool atServer, CallHead? head)
    {
#if NET
        Activity? outer = Activity.Current;
#endif
        try
        {
            RpcEvents.Log.CallStart(method.FullName, atServer);
#if NET
            return new CallSpan(method, atServer, StartActivity(method, atServer, head, outer), outer);
#else
            return new CallSpan(method, atServer);
#endif
        }
#pragma warning disable CA1031 // a listener's failure: it learns no more of this call
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a call began", method, e);
            return default;
        }
    }

#if NET
    private static Activity? StartActivity(RpcMethod method, bool atServer, CallHead? head, Activity? outer)
    {
        if (!RpcTelemetry.Source.HasListeners())
            return null;
        _ = TraceContext.TryRead(head, out ActivityContext parent);
        try
        {
            Activity? activity = RpcTelemetry.Source.StartActivity(
                method.FullName, atServer ? ActivityKind.Server : ActivityKind.Client, parent);
            if (activity is { IsAllDataRequested: true })
            {
                activity.SetTag("rpc.system", RpcTelemetry.System);
                activity.SetTag("rpc.service", method.Service);
                activity.SetTag("rpc.method", method.Name);
            }

            return activity;
        }
        catch
        {
            Activity.Current = outer; // which runs code of the user's, too
            throw;
        }
    }

    private static void End(Activity activity, RpcStatus status, Exception? failure)
    {
        activity.SetTag("rpc.ipc.status_code", (int)status);
        if (status != RpcStatus.Ok)
        {
            activity.SetTag("error.type", status.ToString());
            if (status != RpcStatus.Cancelled) // which is what somebody wanted
                activity.SetStatus(ActivityStatusCode.Error, failure is null ? null : ErrorText.Of(failure));
            if (failure is not null && activity.IsAllDataRequested &&
                !(status == RpcStatus.Cancelled && failure is OperationCanceledException))
            {
                activity.AddEvent(Describe(failure));
            }
        }

        activity.Dispose();
    }

    /// <summary>What OpenTelemetry's conventions call an exception.</summary>
    private static ActivityEvent Describe(Exception failure) => new("exception", tags: new ActivityTagsCollection
    {
        { "exception.type", failure.GetType().FullName },
        { "exception.message", ErrorText.Of(failure) },
        { "exception.stacktrace", ErrorText.Whole(failure) },
    });
#endif
}
