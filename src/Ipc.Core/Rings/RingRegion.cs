using System.Threading;

namespace Ipc;

/// <summary>One end's attachment to a ring region: the link between <see cref="RingEnd"/> and
/// <see cref="Region"/>.</summary>
internal sealed unsafe class RingRegion : RingRole
{
    private RingEnd? _end;
    private int _disposed;

    private RingRegion(Region region, bool isWriter)
        : base(region, (RingHeader*)region.Body, isWriter)
    {
    }

    public static RingWriter OpenWriter(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: true);
        WaitStyle style = Check(name, options);
        return WriterOf(Open(name, options, entrance, cancellationToken), entrance, style);
    }

    public static RingReader OpenReader(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: false);
        WaitStyle style = Check(name, options);
        return ReaderOf(Open(name, options, entrance, cancellationToken), entrance, style);
    }

    /// <summary>Null: there is no such ring.</summary>
    public static RingWriter? TryOpenWriter(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: true);
        WaitStyle style = Check(name, options);
        return TryOpen(name, options, entrance, cancellationToken) is { } region
            ? WriterOf(region, entrance, style)
            : null;
    }

    /// <summary>Null: there is no such ring.</summary>
    public static RingReader? TryOpenReader(string name, RingOptions options, CancellationToken cancellationToken)
    {
        RingEntrance entrance = new(options, isWriter: false);
        WaitStyle style = Check(name, options);
        return TryOpen(name, options, entrance, cancellationToken) is { } region
            ? ReaderOf(region, entrance, style)
            : null;
    }

    public override void DisposeEnd()
    {
        if (Atomic.Exchange(ref _disposed, 1) != 0)
            return;

        bool quiet = _end!.Close();
        (_end as RingReader)?.TellRead();
        Region.Leave();
        if (quiet)
            Region.View.Dispose();
        else
            Region.View.LeaveToCollector();
    }

    private static RingWriter WriterOf(Region region, RingEntrance entrance, WaitStyle style)
    {
        RingRegion link = new(region, isWriter: true);
        RingWriter writer = new(
            link,
            region.View,
            entrance.Geometry,
            style,
            entrance.Start.Position,
            entrance.Start.Free,
            (uint)region.Index + 1);
        link._end = writer;
        return writer;
    }

    private static RingReader ReaderOf(Region region, RingEntrance entrance, WaitStyle style)
    {
        RingRegion link = new(region, isWriter: false);
        RingReader reader = new(
            link, region.View, entrance.Geometry, style, entrance.Start.Position, entrance.Start.RedeliverUntil);
        link._end = reader;
        return reader;
    }

    private static WaitStyle Check(string name, RingOptions options)
    {
        RegionName.Check(name);
        _ = RingGeometry.CheckRequested(options.Capacity);
        _ = PoolGeometry.CheckRequested(options.LoanBudget);
        return WaitStyle.Of(options.WaitMode, options.SpinLimit);
    }

    private static Region Open(
        string name, RingOptions options, RingEntrance entrance, CancellationToken cancellationToken) =>
        Region.Open(name, entrance, options.OpenMode, Deadline.After(options.OpenTimeout), cancellationToken);

    private static Region? TryOpen(
        string name, RingOptions options, RingEntrance entrance, CancellationToken cancellationToken) =>
        Region.TryOpen(name, entrance, Deadline.After(options.OpenTimeout), cancellationToken);
}
