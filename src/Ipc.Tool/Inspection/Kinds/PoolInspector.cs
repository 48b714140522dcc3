using System;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>The pool of long messages, docs/wire-format.md section 11.</summary>
internal static class PoolInspector
{
    public static PoolReport Read(RegionLook look, ulong offset, RegionReport report)
    {
        PoolHeader header = look.Read<PoolHeader>(offset, "a pool");
        PoolGeometry geometry = CheckGeometry(look, offset, header);
        byte[] table = new byte[geometry.Blocks * PoolBlock.ByteSize];
        look.Read(offset + PoolHeader.TableOffset, table, "the table of a pool");
        uint owned = 0, published = 0;
        ulong present = 0;
        int row = 0;
        for (int @class = 0; @class < geometry.Classes; @class++)
        {
            for (uint index = 0; index < geometry.Count(@class); index++, row++)
            {
                var block = MemoryMarshal.Read<PoolBlock>(table.AsSpan(row * PoolBlock.ByteSize));
                present += Math.Min(block.Present, 1U << @class);
                switch (PoolBlock.PhaseOf(block.State))
                {
                    case PoolBlock.Free:
                        break;
                    case PoolBlock.Owned:
                        owned++;
                        KindInspector.Hold(report, PoolBlock.OwnerOf(block.State), $"fills block {@class}.{index} of the pool");
                        break;
                    case PoolBlock.Published:
                        published++;
                        break;
                    default:
                        report.Damage.Add($"block {@class}.{index} of the pool: the word 0x{block.State:X16} is none of a pool");
                        break;
                }
            }
        }

        return new PoolReport
        {
            Budget = header.Budget,
            Classes = header.Classes,
            Blocks = geometry.Blocks,
            Owned = owned,
            Published = published,
            Present = present * PoolHeader.Page,
            Exhausted = header.Exhausted,
        };
    }

    public static PoolGeometry CheckGeometry(RegionLook look, ulong offset, in PoolHeader header)
    {
        KindInspector.CheckMagic(header.Magic, PoolHeader.MagicValue, "pool");
        if (!PoolGeometry.IsBudget(header.Budget))
            throw new DamageException($"a pool of {header.Budget} bytes; a multiple of {PoolHeader.Page} up to {PoolHeader.MaxBudget} was expected");
        PoolGeometry geometry = new(header.Budget);
        if (header.Classes != geometry.Classes || offset % PoolHeader.Page != 0 || geometry.Size > look.Size || offset > look.Size - geometry.Size)
            throw new DamageException($"a pool of {header.Budget} bytes with {header.Classes} classes at {offset}; it has {geometry.Classes} and takes {geometry.Size} of the {look.Size} bytes");
        return geometry;
    }
}
