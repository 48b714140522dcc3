using System;
using System.Diagnostics;
using System.Globalization;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Telemetry;

/// <summary>Writes what is exported as lines. A real program has OpenTelemetry.Exporter.OpenTelemetryProtocol here, and nothing else is different.</summary>
internal static class Exported
{
    public static void Line(string text) => Console.WriteLine(text);

    /// <summary>One line for each span.</summary>
    public sealed class Spans : BaseExporter<Activity>
    {
        public override ExportResult Export(in Batch<Activity> batch)
        {
            foreach (Activity span in batch)
                Line($"span {span.Kind} {span.DisplayName} trace={span.TraceId} span={span.SpanId} parent={span.ParentSpanId} status={span.GetTagItem("rpc.ipc.status_code")}");
            return ExportResult.Success;
        }
    }

    /// <summary>One line for each number.</summary>
    public sealed class Metrics : BaseExporter<Metric>
    {
        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (Metric metric in batch)
            {
                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                {
                    string value = metric.MetricType switch
                    {
                        MetricType.Histogram => "count=" + point.GetHistogramCount().ToString(CultureInfo.InvariantCulture),
                        MetricType.LongSum => point.GetSumLong().ToString(CultureInfo.InvariantCulture),
                        MetricType.LongSumNonMonotonic => point.GetSumLong().ToString(CultureInfo.InvariantCulture),
                        _ => metric.MetricType.ToString(),
                    };
                    string tags = string.Empty;
                    foreach (var tag in point.Tags)
                        tags += $" {tag.Key}={tag.Value}";
                    Line($"metric {metric.Name} [{metric.Unit}] {value}{tags}");
                }
            }

            return ExportResult.Success;
        }
    }
}
