using System;
using System.Collections.Generic;
using System.Threading;

namespace Ipc.Tool;

/// <summary>Looks at a region from outside, again and again.</summary>
internal sealed class TapSource : MessageSource
{
    /// <summary>Between two looks: nobody wakes who is in no table.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);

    private readonly RegionLook _look;
    private readonly Tap _tap;
    private readonly Queue<TappedMessage> _seen = [];
    private readonly string _path;
    private bool _isLast;

    public TapSource(RegionReport report, bool fromOldest)
    {
        _path = report.Path;
        _look = RegionLook.Open(report);
        try
        {
            _tap = Tap.Open(_look, report, fromOldest);
        }
        catch (DamageException error)
        {
            _look.Dispose();
            throw new ToolException(ExitCode.Unusable, $"{_path}: {error.Message}");
        }
    }

    public override long Missed => (long)Math.Min(_tap.Missed, long.MaxValue);

    public override string Unit => _tap.Unit;

    public override TappedMessage? Next(Deadline deadline, CancellationToken cancel)
    {
        while (_seen.Count == 0)
        {
            if (_isLast)
            {
                HasEnded = true;
                return null;
            }

            Look();
            if (_seen.Count > 0 || _isLast)
                continue;
            if (deadline.HasPassed)
                return null;
            if (cancel.WaitHandle.WaitOne(s_pause))
                throw new OperationCanceledException(cancel);
        }

        cancel.ThrowIfCancellationRequested();
        return _seen.Dequeue();
    }

    public override void Dispose() => _look.Dispose();

    private void Look()
    {
        try
        {
            _isLast = _look.HasEnded; // before the messages: the last ones are seen
            foreach (TappedMessage message in _tap.Poll())
                _seen.Enqueue(message);
        }
        catch (DamageException error)
        {
            throw new ToolException(ExitCode.Unusable, $"{_path}: {error.Message}");
        }
    }
}
