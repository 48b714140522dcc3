using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.Win32.SafeHandles;

namespace Ipc.Tool;

/// <summary>A region whose file has no name any more, seen in the memory of a process that has it mapped. Nothing is mapped here, and nobody is stopped.</summary>
/// <remarks>To read a hole there is to touch it: memory comes behind it. So nothing is read but what is in use.</remarks>
internal sealed class MemoryLook : RegionLook
{
    private readonly SafeFileHandle _memory;
    private readonly List<ProcessMapping> _mappings;

    /// <exception cref="UnauthorizedAccessException">The kernel lets this user not look into that process.</exception>
    /// <exception cref="IOException">It has gone.</exception>
    public MemoryLook(uint pid, List<ProcessMapping> mappings)
        : base(mappings.Max(static one => one.Offset + (one.End - one.Start)))
    {
        _mappings = mappings;
        _memory = System.IO.File.OpenHandle($"/proc/{pid}/mem");
    }

    /// <inheritdoc/>
    public override bool MakesPresent => true;

    public override void Read(ulong offset, Span<byte> to, string what)
    {
        ProcessMapping? mapping = _mappings.FirstOrDefault(one => offset >= one.Offset && offset - one.Offset < one.End - one.Start);
        if (mapping is null || (ulong)to.Length > mapping.End - mapping.Start - (offset - mapping.Offset))
            throw new DamageException($"{what} at {offset} (+{to.Length}) lies outside of what its process has mapped");
        for (int done = 0; done < to.Length;)
        {
            int read = RandomAccess.Read(_memory, to[done..], (long)(mapping.Start + (offset - mapping.Offset)) + done);
            if (read <= 0)
                throw new IOException("its process has gone");
            done += read;
        }
    }

    public override byte[] Start(int count)
    {
        byte[] start = new byte[Math.Min((long)Size, count)];
        Read(0, start, "the header");
        return start;
    }

    public override void Dispose()
    {
        _memory.Dispose();
        base.Dispose();
    }
}
