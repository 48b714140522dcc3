using System;
using System.Collections.Generic;

namespace OfficeAddin;

/// <summary>A cell that the daemon tells about by itself, and who is told in turn. Guarded by its <see cref="CellStreams"/>.</summary>
internal sealed class CellStream
{
    public CellStream(CellKey key) => Key = key;

    public CellKey Key { get; }

    /// <summary>The latest value; null: none yet, or none any more.</summary>
    public CellValue? Value { get; set; }

    public long AskedAt { get; set; }

    public List<IObserver<CellValue>> Observers { get; } = new();
}
