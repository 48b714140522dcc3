using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>Where the parts of a pool are, for every sort of budget; the numbers of docs/wire-format.md section 11 typed a second time.</summary>
public sealed class PoolGeometryTests
{
    private const ulong Page = 4096;

    public static TheoryData<ulong> Budgets
    {
        get
        {
            TheoryData<ulong> budgets = new();
            for (ulong power = Page; power <= 64UL << 30; power *= 2)
            {
                foreach (ulong budget in new[] { power - Page, power, power + Page, power + power / 2 / Page * Page }.Distinct())
                {
                    if (budget is >= Page and <= 64UL << 30)
                        budgets.Add(budget);
                }
            }

            return budgets;
        }
    }

    [Theory]
    [MemberData(nameof(Budgets))]
    public void ThePartsFollowEachOtherWithoutGapOrOverlap(ulong budget)
    {
        PoolGeometry geometry = new(budget);
        ulong blocks = 0;
        ulong offset = geometry.Reserved;
        for (int k = 0; k < geometry.Classes; k++)
        {
            Assert.Equal(blocks, geometry.FirstBlock(k));
            Assert.Equal(offset, geometry.FirstOffset(k));
            Assert.InRange(geometry.Count(k), 1u, 256u);
            Assert.Equal(System.Math.Clamp(budget / (Page << k), 1, 256), geometry.Count(k));
            blocks += geometry.Count(k);
            offset += geometry.Count(k) * (Page << k);
        }

        Assert.Equal(blocks, geometry.Blocks);
        Assert.Equal(offset, geometry.Size);
        Assert.True(4096 + blocks * 32 <= geometry.Reserved && geometry.Reserved < 4096 + blocks * 32 + Page && geometry.Reserved % Page == 0);
        Assert.True(PoolHeader.FreeOffset + sizeof(ulong) * PoolHeader.FreeWords * geometry.Classes <= PoolHeader.TableOffset);
    }

    [Theory]
    [MemberData(nameof(Budgets))]
    public void TheLargestClassHoldsTheWholeBudgetAndTheOneBelowDoesNot(ulong budget)
    {
        PoolGeometry geometry = new(budget);
        Assert.True(Page << (geometry.Classes - 1) >= budget);
        Assert.True(geometry.Classes == 1 || Page << (geometry.Classes - 2) < budget);
        Assert.Equal(geometry.Classes - 1, PoolGeometry.ClassFor(budget));
    }

    [Theory]
    [InlineData(4096, 1, 1, 8192, 12288)]
    [InlineData(8192, 2, 3, 8192, 24576)]
    [InlineData(1 << 20, 9, 511, 20480, 9457664)]
    [InlineData(256 << 20, 17, 2559, 86016, 2683392000)]
    [InlineData(64L << 30, 25, 4607, 151552, 687193870336)]
    public void TheSizesAreTheFormats(long budget, int classes, uint blocks, ulong reserved, ulong size)
    {
        PoolGeometry geometry = new((ulong)budget);
        Assert.Equal((classes, blocks, reserved), (geometry.Classes, geometry.Blocks, geometry.Reserved));
        Assert.Equal(size, geometry.Size);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(4096, 0)]
    [InlineData(4097, 1)]
    [InlineData(8192, 1)]
    [InlineData(1 << 20, 8)]
    [InlineData((1 << 20) + 1, 9)]
    public void AMessageGoesIntoTheSmallestClassThatHoldsIt(ulong length, int expected) => Assert.Equal(expected, PoolGeometry.ClassFor(length));

    [Fact]
    public void ABudgetIsRoundedUpToPagesAndCheckedOnce()
    {
        Assert.Equal(0UL, PoolGeometry.CheckRequested(0));
        Assert.Equal(Page, PoolGeometry.CheckRequested(1));
        Assert.Equal(8 * Page, PoolGeometry.CheckRequested(7 * 4096 + 1));
        foreach (long budget in new List<long> { -1, long.MinValue, (64L << 30) + 1 })
            Assert.Equal(IpcStatus.InvalidArgument, Assert.Throws<IpcException>(() => PoolGeometry.CheckRequested(budget)).Status);
    }
}
