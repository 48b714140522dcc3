using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Rpc;

// Reports are handed to the caller's code on the thread pool, one after another, and the call completes behind the last
// of them: so none comes after the response, and whoever reads the connection never waits for the caller's code. A
// caller whose code is slow gets the newest ones.

/// <summary>An asynchronous call that reports progress.</summary>
internal sealed class ProgressCall<TResponse, TProgress> : AsyncCall<TResponse>
{
    private const int MostReports = 64;

    private readonly object _gate = new();
    private readonly Queue<TProgress> _reports = new();
    private readonly MessageCodec<TProgress> _progressCodec;
    private readonly IProgress<TProgress> _progress;
    private bool _running;
    private bool _over; // the call ended, and waits for the reports before it
    private TResponse? _result;
    private RpcFailure? _failure;
    private RpcFailure? _thrown; // by the caller's code: that is how it ends, whoever ends it

    public ProgressCall(
        RpcMethod method,
        MessageCodec<TResponse> codec,
        MessageCodec<TProgress> progressCodec,
        IProgress<TProgress> progress,
        in CallRequest how)
    {
        _progressCodec = progressCodec;
        _progress = progress;
        Begin(method, codec, in how);
    }

    public override void OnProgress(ReadOnlySpan<byte> body)
    {
        TProgress report;
        try
        {
            report = _progressCodec.Decode(body);
        }
#pragma warning disable CA1031 // whatever a codec throws is this call's failure, not the reading thread's
        catch (Exception e)
#pragma warning restore CA1031
        {
            Sent!.EndCall(this, Slot, Use, Undecodable(e));
            return;
        }

        lock (_gate)
        {
            if (_over)
                return;
            if (_reports.Count == MostReports)
                _reports.Dequeue();
            _reports.Enqueue(report);
            if (_running)
                return;
            _running = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(static state => ((ProgressCall<TResponse, TProgress>)state!).Report(), this);
    }

    public override void OnFailure(RpcFailure failure)
    {
        Unregister();
        lock (_gate)
        {
            _over = true;
            _failure = failure;
            if (failure.Status == RpcStatus.Cancelled)
                _reports.Clear();
            if (_running)
                return;
        }

        SetException(_thrown ?? failure);
    }

    private protected override void Succeed(TResponse result)
    {
        lock (_gate)
        {
            _over = true;
            _result = result;
            if (_running)
                return;
        }

        if (_thrown is { } thrown) // while this answer was being read: it has ended nothing
            SetException(thrown);
        else
            SetResult(result);
    }

    private protected override void Recycle()
    {
    }

    private void Report()
    {
        while (true)
        {
            TProgress report;
            lock (_gate)
            {
                if (_reports.Count == 0)
                {
                    _running = false;
                    if (!_over)
                        return;
                    break;
                }

                report = _reports.Dequeue();
            }

            try
            {
                _progress.Report(report);
            }
#pragma warning disable CA1031 // the caller's own code: the call fails with it
            catch (Exception e)
#pragma warning restore CA1031
            {
                FailWith(RpcFailure.OfCaller(e));
            }
        }

        if ((_thrown ?? _failure) is { } failure)
            SetException(failure);
        else
            SetResult(_result!);
    }

    private void FailWith(RpcFailure failure)
    {
        _thrown ??= failure;
        // comes back to OnFailure, unless the call has ended already, or ends at this moment
        Sent!.EndCall(this, Slot, Use, failure);
        lock (_gate)
            _reports.Clear();
    }
}
