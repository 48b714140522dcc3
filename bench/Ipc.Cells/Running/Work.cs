namespace Ipc.Matrix.Cells;

/// <summary>A cell with what both processes need for its messages. Messages are numbered through all rounds of a cell.</summary>
internal sealed class Work(Cell cell)
{
    public Cell Cell { get; } = cell;

    public Shape Shape { get; } = Shape.Of(cell.Shape);

    public int Batch { get; } = cell.Batch;

    public bool IsStream { get; } = cell.IsStream;

    public Codec Codec { get; } = Codec.Create(cell.Serializer, Shape.Of(cell.Shape));

    /// <summary>The number of the next round's first message.</summary>
    public long Number { get; set; }
}
