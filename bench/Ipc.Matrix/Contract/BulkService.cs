using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>The server's side of <see cref="IBulk"/>.</summary>
internal sealed class BulkService : IBulk
{
    public async IAsyncEnumerable<Blob> Pull(FetchRequest request)
    {
        Blob piece = new(new byte[request.Size]);
        Array.Fill(piece.Data, (byte)'x');
        for (; ; )
        {
            yield return piece;
            await Task.Yield();
        }
    }
}
