using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary>The input's lines as bytes: what is no text stays as it is. Neither the end of a line nor the lack of one at the end of the input is part of a message.</summary>
internal static class InputLines
{
    private const int ChunkBytes = 64 * 1024;

    public static IEnumerable<byte[]> Read(Stream input, CancellationToken cancel)
    {
        byte[] chunk = new byte[ChunkBytes];
        using var line = new MemoryStream();
        bool hasRest = false;
        for (int read; (read = Read(input, chunk, cancel)) > 0;)
        {
            int start = 0;
            for (int end; (end = Array.IndexOf(chunk, (byte)'\n', start, read - start)) >= 0; start = end + 1)
            {
                line.Write(chunk, start, end - start);
                yield return line.ToArray();
                line.SetLength(0);
            }

            line.Write(chunk, start, read - start);
            hasRest = line.Length > 0;
        }

        if (hasRest)
            yield return line.ToArray();
    }

    /// <summary>All of it.</summary>
    public static byte[] ReadAll(Stream input, CancellationToken cancel)
    {
        byte[] chunk = new byte[ChunkBytes];
        using var all = new MemoryStream();
        for (int read; (read = Read(input, chunk, cancel)) > 0;)
            all.Write(chunk, 0, read);
        return all.ToArray();
    }

    /// <summary>A read of a terminal or a pipe cannot be called off: it is left behind, and the process ends.</summary>
    private static int Read(Stream input, byte[] chunk, CancellationToken cancel)
    {
        Task<int> read = Task.Run(() => input.Read(chunk), CancellationToken.None);
        read.Wait(cancel);
        return read.Result;
    }
}
