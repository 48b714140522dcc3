using System.Collections.Generic;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>
/// A slot is taken from its sender between the publication of its loan and its own. Nobody does that to the living; who does it all the same (a repair that took the
/// sender for dead, a bug, an attacker) finds a sender that sends nothing, says so, and takes its loan back: the block is nobody's, and nobody else would free it.
/// </summary>
public sealed class TakenAwayTests(Peers peers)
{
    private const int Length = 5000;

    public static TheoryData<string, Language, bool> Cases
    {
        get
        {
            var data = new TheoryData<string, Language, bool>();
            foreach (string kind in new[] { "queue", "topic" })
            {
                foreach (Language language in new[] { Language.CSharp, Language.C })
                {
                    data.Add(kind, language, false);
                    data.Add(kind, language, true);
                }
            }
            return data;
        }
    }

    /// <param name="kind">queue or topic.</param>
    /// <param name="language">Who sends.</param>
    /// <param name="withLoan">Whoever took the slot swept the block, too, and it has been taken again: the sender must leave it alone.</param>
    [Theory]
    [MemberData(nameof(Cases))]
    public void ASlotTakenAwayBetweenTheLoanAndReadySendsNothingAndLeavesNoBlock(string kind, Language language, bool withLoan)
    {
        string name = peers.NewName("taken"), options = "budget=65536";
        Driven receiver = peers.At(Matrix.Other(language), "receiver");
        using Driven sender = peers.New(language, new Dictionary<string, string>
        {
            ["IPC_FAULT"] = $"{kind}.commit.before_ready",
            ["IPC_FAULT_ACTION"] = "stop",
        });
        KindPair.Open(kind, receiver, name, sends: false, options);
        KindPair.Open(kind, sender, name, sends: true, options);

        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            sender.Must($"claim 1 {Length}");
            sender.Begin($"commit 1 {Length} 7");
            sender.WaitUntilStopped();
            long slot = SlotIn(region, Wire.Slot.Writing), block = BlockIn(region, Wire.Pool.Published);
            ulong word = region.U64(slot);
            region.U64(slot, kind == "queue" ? Wire.Slot.Word((uint)(word >> 32) + 1, 0, 0, Wire.Slot.Free) : Wire.Slot.Word((uint)(word >> 32), 0, 0, Wire.Slot.Gap));
            ulong freed = ((region.U64(block) >> 32) + 1) << 32 | Wire.Pool.Free, taken = freed | (1u << 16) | Wire.Pool.Owned; // by participant 0, who lives
            if (withLoan)
                region.U64(block, taken);

            sender.Continue();
            Answer answer = sender.Result();
            Assert.True(answer.Status is not (IpcStatus.Ok or IpcStatus.Timeout), $"{language} says that it was sent: {answer.Line}");
            Assert.Equal(withLoan ? taken : freed, region.U64(block));
            if (withLoan)
                region.U64(block, freed + (1UL << 32));
            Assert.Equal(-1, BlockOrNone(region, Wire.Pool.Published));
        }

        Assert.True(receiver.Do("read 1").Status is IpcStatus.Empty or IpcStatus.Timeout, "something was sent");
        for (uint seed = 1; seed < 40; seed++) // both laps of the slots: every slot and every block is usable
        {
            int length = seed % 2 == 0 ? 50 : 65536;
            sender.Must($"write 1 {seed} {length} {seed} timeout=600000");
            Answer read = receiver.Must("read 1 timeout=600000");
            Assert.Equal((seed, Numbered.HashOfPattern(seed, length)), ((uint)read["type"], (uint)read["hash"]));
            receiver.Must("release 1");
        }
        peers.MustBeAsNew(name, "idle");
        sender.Must("close 1");
        receiver.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }

    /// <summary>Here the library has claimed the slot itself: its caller did nothing wrong, so what it is told is that the region is corrupt.</summary>
    [Theory]
    [InlineData("queue", Language.CSharp)]
    [InlineData("queue", Language.C)]
    [InlineData("topic", Language.CSharp)]
    [InlineData("topic", Language.C)]
    public void ASlotTakenAwayFromASendIsCorrupt(string kind, Language language)
    {
        string name = peers.NewName("taken");
        using Driven sender = peers.New(language, new Dictionary<string, string>
        {
            ["IPC_FAULT"] = $"{kind}.commit.before_ready",
            ["IPC_FAULT_ACTION"] = "stop",
        });
        KindPair.Open(kind, sender, name, sends: true, "");
        using (var region = new LiveRegion(peers.Directory.FileOf(name)))
        {
            sender.Begin("write 1 1 50 1 timeout=600000");
            sender.WaitUntilStopped();
            long slot = SlotIn(region, Wire.Slot.Writing);
            uint lap = (uint)(region.U64(slot) >> 32);
            region.U64(slot, kind == "queue" ? Wire.Slot.Word(lap + 1, 0, 0, Wire.Slot.Free) : Wire.Slot.Word(lap, 0, 0, Wire.Slot.Gap));
            sender.Continue();
            Assert.Equal(IpcStatus.Corrupt, sender.Result().Status);
        }

        sender.Must("close 1");
    }

    internal static long SlotIn(LiveRegion region, int phase)
    {
        long slots = (long)region.U64(region.Body + Wire.Queue.SegmentsOffset), stride = (long)region.U64(region.Body + Wire.Queue.Stride); // a topic's are there, too
        for (long slot = slots; slot < slots + (region[region.Body + Wire.Queue.SlotCount] * stride); slot += stride)
        {
            if ((int)(region.U64(slot) & 0xFF) == phase)
                return slot;
        }
        throw new Xunit.Sdk.XunitException($"no slot is in phase {phase}");
    }

    private static long BlockIn(LiveRegion region, int phase)
    {
        long found = BlockOrNone(region, phase);
        Assert.NotEqual(-1, found);
        return found;
    }

    private static long BlockOrNone(LiveRegion region, int phase)
    {
        long pool = (long)region.U64(region.Body + Wire.Queue.PoolOffset), blocks = pool + Wire.Pool.Blocks;
        ulong budget = region.U64(pool + Wire.Pool.Budget);
        long count = 0;
        for (int k = 0; k < (int)region[pool + Wire.Pool.Classes]; k++)
            count += (long)System.Math.Clamp(budget >> (12 + k), 1, 256);
        for (long block = blocks; block < blocks + (count * Wire.Pool.Block); block += Wire.Pool.Block)
        {
            if ((int)(region.U64(block) & 0xFF) == phase)
                return block;
        }
        return -1;
    }
}
