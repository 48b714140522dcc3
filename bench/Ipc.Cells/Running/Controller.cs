using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;

namespace Ipc.Matrix.Cells;

/// <summary>Measures cells one after another: two processes for each group, new ones after a cell that failed. This process sleeps meanwhile.</summary>
internal sealed class Controller(Plan plan, Cores cores, Progress progress)
{
    public List<Result> Results { get; } = [];

    public List<Failure> Failures { get; } = [];

    public void Run(IReadOnlyList<Cell> cells)
    {
        foreach (IGrouping<string, Cell> group in cells.GroupBy(static cell => cell.Group))
        {
            Queue<Cell> left = new(group);
            while (left.Count > 0)
                RunWhileItWorks(left);
        }

        Progress.Clear();
    }

    /// <summary>At least the first of <paramref name="left"/>.</summary>
    private void RunWhileItWorks(Queue<Cell> left)
    {
        Cell cell = left.Peek();
        Worker? pair = null;
        try
        {
            progress.Show(cell.Name, Failures.Count);
            pair = Worker.Start(cell.Group, MeasuringProcess.Self, "measure", cell.Name, "--plan", plan.ToString(), "--cores", cores.ToString());
            while (left.TryPeek(out Cell? next))
            {
                cell = next;
                progress.Show(cell.Name, Failures.Count);
                string line = pair.Ask(cell.Name);
                left.Dequeue();
                if (line.StartsWith(MeasuringProcess.Failed, StringComparison.Ordinal))
                {
                    Fail(cell, line[MeasuringProcess.Failed.Length..]);
                    return;
                }

                Results.Add(JsonSerializer.Deserialize<Result>(line)!);
                progress.Done();
            }
        }
        catch (Exception problem) when (problem is IOException or TimeoutException or JsonException)
        {
            if (left.TryPeek(out Cell? first) && first == cell)
                left.Dequeue();
            Fail(cell, problem.Message.ReplaceLineEndings(" "));
        }
        finally
        {
            pair?.Dispose();
        }
    }

    private void Fail(Cell cell, string reason)
    {
        Failures.Add(new Failure(cell.Name, reason));
        progress.Failed(cell.Name, reason);
    }
}
