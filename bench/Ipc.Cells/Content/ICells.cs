using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Matrix.Cells;

/// <summary>The calls of the matrix.</summary>
[IpcService("bench.cells.v1")]
public interface ICells
{
    /// <summary>The values that are asked for.</summary>
    Answer Ask(Query query);

    /// <summary>The values that are asked for.</summary>
    ValueTask<Answer> AskAsync(Query query);

    /// <summary>The same as bytes that nobody has to read.</summary>
    Bytes Fetch(Bytes request);

    /// <summary>The same as bytes that nobody has to read.</summary>
    ValueTask<Bytes> FetchAsync(Bytes request);

    /// <summary>As many answers as asked for.</summary>
    IAsyncEnumerable<Answer> Watch(Watching watching);

    /// <summary>As many answers as asked for, as bytes.</summary>
    IAsyncEnumerable<Bytes> Pull(Watching watching);
}
