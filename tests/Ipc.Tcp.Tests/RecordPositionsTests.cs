using Ipc.Core.Tests;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>What was handled on the other machine, as a position here: a record too few is sent again, and handled twice.</summary>
public sealed class RecordPositionsTests : RegionTest
{
    [Fact]
    public void BehindTheLastRecordIsItsEndAlsoWhileWhoSendsItHasNotGotThere()
    {
        RecordPositions sent = new();
        sent.AddEnd(0);
        sent.Add(0);
        sent.AddEnd(64);
        sent.Add(64);
        Assert.Equal(0, sent.BeginOf(0));
        Assert.Equal(64, sent.BeginOf(1));
        long? begin = -1;
        Background asks = Run(() => begin = sent.BeginOf(2)); // it is on its way, and its sender has not released it yet
        System.Threading.Thread.Sleep(50); // it is to have asked by then; if not, this shows less
        sent.AddEnd(192);
        asks.Join();
        Assert.Equal(192, begin);
    }

    [Fact]
    public void NothingIsSaidOfARecordWhoseSenderDoesNotComeBack()
    {
        RecordPositions sent = new();
        sent.AddEnd(0);
        sent.Add(0);
        Assert.Null(sent.BeginOf(1));
        Assert.Equal(0, sent.BeginOf(0));
    }

    [Fact]
    public void NothingIsSaidByARingThatWasClosed()
    {
        RecordPositions sent = new();
        sent.AddEnd(-1);
        Assert.Null(sent.BeginOf(0));
        sent.Add(-1);
        Assert.Null(sent.BeginOf(0));
    }
}
