using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Ipc.Matrix.Cells;

/// <summary>docs/guide/choosing.md: what to use for which work, each with the figure that says so. Sentences are fixed, every number is the run's.</summary>
internal sealed class Choosing(RunFile run)
{
    private const string Socket = "uds";
    private const double Noticeable = 1.1;

    private readonly Figures _figures = new(run);

    public string Markdown()
    {
        StringBuilder text = new();
        text.Append("<!-- Written by bench/matrix.sh --docs from one run. Do not edit. -->\n# Choosing\n\n");
        text.Append("Which transport, size, batch and way to wait for which work. Figures: [the measured matrix](../performance-matrix.md); p50 of a request with 0.1 kB there and 1 kB back, "
            + "two C# processes on a core each, unless said otherwise. ").Append(Provenance.Lines(run).First()).Append("\n\n");
        if (run.IsBusy)
            text.Append("**The machine was busy: these figures are not to be published.**\n\n");
        Work(text);
        Waiting(text);
        Batching(text);
        Sizes(text);
        SerializersOf(text);
        Weak(text);
        return text.ToString();
    }

    private void Work(StringBuilder text)
    {
        text.Append("## For which work\n\n| work | use | figure | beside it |\n|---|---|---|---|\n");
        Row(text, "calls with a contract", "[calls](calls.md)", Need("rpc", "generated"), Need("grpc-uds", "google"));
        Row(text, "a service of gRPC that exists already", "[gRPC over Ipc](pipes-and-grpc.md)", Need("grpc-ipc", "google"), Need("grpc-uds", "google"));
        Row(text, "a library that wants a stream or an `IDuplexPipe`", "[pipes](pipes-and-grpc.md)", Need("duplexpipe"), Need(Socket));
        Row(text, "messages of your own between a client and a server", "[a connection](rings-and-connections.md)", Need("connection"), Need(Socket));
        Row(text, "the same, where both may end and come again", "[a named connection](named-connections.md)", Need("named"), Need(Socket));
        Row(text, "one writer, one reader, as fast as it goes", "[a ring](rings-and-connections.md)", Need("ring"), Need("fifo"));
        Row(text, "work for any of several processes", "[a queue](queues.md)", Need("queue"), Need(Socket));
        Row(text, "the same news for many", "[a topic](topics.md)", Need("topic"), Need(Socket));
        Row(text, "another machine", "[Ipc.Tcp](tcp.md), where names and delivery matter more than time", Need("tcp"), Need("tcp-loopback"));
        text.Append('\n');
    }

    private void Waiting(StringBuilder text)
    {
        text.Append("## How to wait\n\n| | spin | adaptive (default) | block | Unix socket, polled | Unix socket, asleep |\n|---|---|---|---|---|---|\n");
        Row(text, "ring: p50", "ring", "none", static cell => Us(cell.P50));
        Row(text, "ring: p99", "ring", "none", static cell => Us(cell.P99));
        Row(text, "ring: processor time a request, both sides", "ring", "none", static cell => Us(cell.ProcessorPerMessage));
        Row(text, "call: p50", "rpc", "generated", static cell => Us(cell.P50));
        Row(text, "call: processor time a request, both sides", "rpc", "generated", static cell => Us(cell.ProcessorPerMessage));
        text.Append("\nSpin where a core belongs to the work and microseconds count; block where many processes share few cores, or messages are rare; leave it adaptive otherwise. "
            + "[Waiting and processors](waiting-and-cpu.md) says how it learns.\n\n");
    }

    private void Batching(StringBuilder text)
    {
        text.Append("## What to publish together\n\nItems of 0.1 kB a second, one way, default waiting:\n\n| published together |");
        foreach (int batch in Catalogue.Batches)
            text.Append(CultureInfo.InvariantCulture, $" {batch} |");
        text.Append("\n|---|").Append(string.Concat(Catalogue.Batches.Select(static _ => "---|"))).Append('\n');
        foreach (string transport in new[] { "ring", "connection", Socket })
        {
            text.Append("| ").Append(Transports.Label(transport)).Append(" |");
            foreach (int batch in Catalogue.Batches)
                text.Append(' ').Append(Tables.Short(Need(transport, shape: "oneway-0.1K", mode: "stream", batch: batch).MessagesPerSecond)).Append(" |");
            text.Append('\n');
        }

        Result single = Need("rpc", "generated"), batched = Need("rpc", "generated", batch: Rules.Portion);
        text.Append(CultureInfo.InvariantCulture, $"\n{Rules.Portion} calls in a batch: {Tables.Short(batched.MessagesPerSecond)} a second; one at a time {Tables.Short(single.MessagesPerSecond)}. ");
        text.Append("A batch gains most where a message alone would wake somebody; its first message waits until the last one is written.\n\n");
    }

    private void Sizes(StringBuilder text)
    {
        text.Append("## How large\n\nMB/s of a stream, default waiting, bytes as they are:\n\n| bytes of an item |");
        string[] shapes = [.. Shape.All.Where(shape => _figures.Find("ring", shape: shape.Name, mode: "stream") is not null).OrderBy(static shape => shape.Response).Select(static shape => shape.Name)];
        foreach (string shape in shapes)
            text.Append(CultureInfo.InvariantCulture, $" {Shape.Of(shape).Response:#,0} |");
        text.Append("\n|---|").Append(string.Concat(shapes.Select(static _ => "---|"))).Append('\n');
        foreach (string transport in new[] { "ring", "rpc", "queue", Socket })
        {
            text.Append("| ").Append(Transports.Label(transport)).Append(" |");
            foreach (string shape in shapes)
                text.Append(' ').Append(_figures.Find(transport, shape: shape, mode: "stream") is { } cell ? Tables.Short(cell.MegabytesPerSecond) : "").Append(" |");
            text.Append('\n');
        }

        text.Append("\n[Sizes](sizing.md) says how rings and budgets are chosen.\n\n");
    }

    private void SerializersOf(StringBuilder text)
    {
        text.Append("## Which serializer\n\np50 of a request through a ring, written and read on both sides:\n\n| serializer | 0.1 kB, 1 kB | 1 kB, 10 kB |\n|---|---|---|\n");
        foreach (string serializer in Catalogue.Serializers)
            text.Append("| ").Append(serializer).Append(" | ").Append(Us(Need("ring", serializer).P50)).Append(" | ").Append(Us(Need("ring", serializer, "1K-10K").P50)).Append(" |\n");
        text.Append("\nThe larger the message, the more of the time is the serializer's and not the transport's: fields of bytes cost a copy, strings cost each an object. "
            + "[Other serializers](serializers.md) says how calls take them.\n\n");
    }

    /// <summary>Looked for in the run, not remembered: every cell of ours that a rival of the same work beats.</summary>
    private void Weak(StringBuilder text)
    {
        text.Append("## What it does not do well\n\n- Another machine: ").Append(Us(Need("tcp").P50)).Append(" through Ipc.Tcp, ").Append(Us(Need("tcp-loopback").P50)).Append(" by a socket of your own.\n");
        text.Append("- Spinning takes a processor on each side for as long as it waits (above). With one core there is nothing to spin for.\n");
        Result duplex = Need("duplexpipe");
        text.Append("- What is awaited pays for the pool: ").Append(Us(duplex.P50)).Append(" through an `IDuplexPipe`, ").Append(Us(Need("connection").P50)).Append(" for a thread that waits itself.\n");
        Result[] unstable = [.. run.Cells.Where(static cell => cell.IsUnstable)];
        text.Append(CultureInfo.InvariantCulture, $"- {unstable.Length} of {run.Cells.Count} cells of this run were unstable (spread above {Statistics.Unstable:P0}): take none of their figures for granted.\n");
        text.Append("\nCells in which ours, by default, lost to a socket or a pipe of the same work that sleeps, by more than a tenth and neither of them unstable:\n\n");
        List<string> lost = [.. run.Cells.Where(IsOurs).Select(Loss).OfType<(double Factor, string Line)>().OrderByDescending(static loss => loss.Factor).Select(static loss => loss.Line)];
        foreach (string line in lost)
            text.Append("- ").Append(line).Append('\n');
        if (lost.Count == 0)
            text.Append("None in this run.\n");
    }

    private static bool IsOurs(Result cell) =>
        Transports.Ours.Contains(cell.Transport) && cell.Wait == Catalogue.DefaultWait(cell.Transport) && cell.Serializer == "none" && !cell.IsUnstable;

    /// <summary>By how much the best rival of the same work was better, where it was.</summary>
    private (double Factor, string Line)? Loss(Result ours)
    {
        bool isTime = ours.Mode == "request" && ours.Batch == 1;
        Result? best = Transports.Sockets.Select(rival => _figures.Find(rival, "none", ours.Shape, ours.Mode, ours.Batch)).OfType<Result>()
            .Where(static rival => !rival.IsUnstable).MinBy(rival => isTime ? rival.P50 : -rival.MessagesPerSecond);
        if (best is null)
            return null;
        double factor = isTime ? ours.P50 / best.P50 : best.MessagesPerSecond / ours.MessagesPerSecond;
        string which = $"{Transports.Label(ours.Transport)}, {ours.Shape}, {ours.Mode}{(ours.Batch > 1 ? $", {ours.Batch} together" : "")}";
        return factor < Noticeable ? null : (factor, $"{which}: {Value(ours)}; {Transports.Label(best.Transport)} {Value(best)}");

        string Value(Result cell) => isTime ? Us(cell.P50) : Tables.Short(cell.MessagesPerSecond) + " a second";
    }

    private static string Us(double microseconds) => Tables.Short(microseconds) + " us";

    private static void Row(StringBuilder text, string work, string use, Result ours, Result theirs) =>
        text.Append("| ").AppendJoin(" | ", work, use, Us(ours.P50), $"{Transports.Label(theirs.Transport)} {Us(theirs.P50)}").Append(" |\n");

    private void Row(StringBuilder text, string what, string transport, string serializer, Func<Result, string> value) =>
        text.Append("| ").AppendJoin(" | ", what, value(Need(transport, serializer, wait: "spin")), value(Need(transport, serializer, wait: "adaptive")),
            value(Need(transport, serializer, wait: "block")), value(Need(Socket, serializer, wait: "spin")), value(Need(Socket, serializer, wait: "block"))).Append(" |\n");

    private Result Need(string transport, string serializer = "none", string shape = "0.1K-1K", string mode = "request", int batch = 1, string? wait = null) =>
        _figures.Need(transport, serializer, shape, mode, batch, wait);
}
