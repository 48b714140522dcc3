using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Xunit;

namespace Ipc.Core.Tests;

/// <summary>The numbers of docs/wire-format.md, typed a second time.</summary>
public sealed class LayoutTests
{
    private static readonly Dictionary<Type, (int Size, string Fields)> s_table = new()
    {
        [typeof(RegionHeader)] = (1024, "Magic 0 Major 8 Minor 10 Kind 12 TotalSize 16 ParticipantOffset 24 ParticipantCapacity 28 BodyOffset 32 BodySize 40 " +
            "RegionIdLow 48 RegionIdHigh 56 Created 64 CreatorPid 72 Lifetime 76 State 128 Recoveries 132 Change 256"),
        [typeof(ParticipantEntry)] = (128, "State 0 Generation 4 Pid 8 Role 12 StartTime 16 Attached 24 PidNamespace 32 Runtime 40 Ended 44 Spin 64 RoomSpin 72"),
        [typeof(WaiterWords)] = (64, "Word 0 FenceRequired 4 Wanted 8 FenceCount 12 Asleep 16"),
        [typeof(RingHeader)] = (1024, "Magic 0 Capacity 8 DataOffset 16 PoolOffset 24 Present 32 Writer 128 WriterState 132 Reader 136 ReaderState 140 RedeliverUntil 144 ReadPosition 256 ReaderProcessor 264 Acknowledged 272 FreePosition 384 " +
            "Data 512 WriterProcessor 576 Space 640 ReaderSpin 768 WriterSpin 896"),
        [typeof(ListenerHeader)] = (384, "Magic 0 SlotCount 4 SlotsOffset 8 ReadyOffset 16 MaxRingCapacity 24 Protocol 32 HandsOver 36 ServerState 128 Doorbell 256"),
        [typeof(ListenerSlot)] = (128, "Word 0"),
        [typeof(ConnectionHeader)] = (1024, "Magic 0 Slot 4 ToServer 8 ToClient 16 ConnectionId 24 Reply 128 ServerClose 132 ServerTextLength 136 ServerProcessor 140 ServerText 144 ServerHandled 384 " +
            "ClientClose 512 HelloLength 516 ClientProcessor 520 Protocol 524 Hello 528 Session 768"),
        [typeof(SlotHeader)] = (32, "State 0 Length 8 Type 12 Flags 14 Key 16 LoanLap 24 Fetched 28"),
        [typeof(QueueHeader)] = (1024, "Magic 0 BlockSize 4 SlotCount 8 SegmentLimit 12 Stride 16 SegmentsOffset 24 SegmentStride 32 Flags 40 MinExpansionDistance 44 " +
            "PoolOffset 48 Segments 128 GrowthFailures 132 Send 256 Receive 384 Data 512 Space 640 Orphans 768 OrphansCleared 776 Redelivered 896 Dropped 904"),
        [typeof(QueueSegmentHeader)] = (384, "Tail 0 Head 128 Next 256"),
        [typeof(NamedHeader)] = (3072, "Magic 0 ToServer 8 ToClient 16 ServerLength 24 ClientLength 28 Server 32 Client 160 ClientIsBound 288 ServerIsBound 292 ClientBound 296 ServerBound 312 " +
            "IdentityLength 384 ReplyLength 388 Identity 392 Reply 512 LoginLength 1664 Login 1672"),
        [typeof(MutexHeader)] = (384, "Magic 0 Owner 128 Waiting 256"),
        [typeof(SemaphoreHeader)] = (512, "Magic 0 Permits 4 Abandoned 128 Waiting 256"),
        [typeof(EventHeader)] = (384, "Magic 0 Manual 4 Set 128 Waiting 256"),
        [typeof(PoolHeader)] = (256, "Magic 0 Classes 4 Budget 8 TableMissing 16 Exhausted 128"),
        [typeof(PoolBlock)] = (32, "State 0 Holder 8 Claimed 16 Present 20"),
        [typeof(LoanDescriptor)] = (16, "Class 0 Reserved 2 Index 4 Generation 8 Length 12"),
        [typeof(TopicHeader)] = (1024, "Magic 0 BlockSize 4 SlotCount 8 MaxReaders 12 Stride 16 SlotsOffset 24 ReadersOffset 32 Flags 40 PoolOffset 48 Tail 128 " +
            "Evictions 136 Data 256 Space 384 Active 512"),
        [typeof(TopicReaderEntry)] = (128, "State 0 Policy 4 Cursor 8 Lost 16 Joined 24 EvictedAt 32"),
    };

    private static readonly HashSet<Type> s_allowed = new() { typeof(ushort), typeof(uint), typeof(ulong), typeof(WaiterWords) };

    public static TheoryData<Type> Structs => new(s_table.Keys);

    [Theory]
    [MemberData(nameof(Structs))]
    public void EveryFieldIsWhereTheFormatSays(Type type)
    {
        string found = string.Join(' ', Fields(type).Select(field => $"{field.Name} {Marshal.OffsetOf(type, field.Name)}"));
        Assert.Equal(s_table[type].Fields, found);
        Assert.Equal(s_table[type].Size, Marshal.SizeOf(type));
    }

    [Theory]
    [MemberData(nameof(Structs))]
    public void OnlyFixedWidthUnsignedIntegersAreShared(Type type)
    {
        foreach (FieldInfo field in Fields(type))
        {
            bool isBuffer = field.GetCustomAttribute<System.Runtime.CompilerServices.FixedBufferAttribute>() is { ElementType: var element } && (element == typeof(byte) || element == typeof(ulong));
            Assert.True(isBuffer || s_allowed.Contains(field.FieldType), $"{type.Name}.{field.Name} is a {field.FieldType.Name}");
        }
    }

    [Fact]
    public void EveryStructOfTheLayoutFolderIsInTheTable()
    {
        IEnumerable<Type> shared = typeof(RegionHeader).Assembly.GetTypes()
            .Where(type => type.IsValueType && type.IsExplicitLayout && !type.IsNested);
        Assert.Equal(s_table.Keys.OrderBy(type => type.Name), shared.OrderBy(type => type.Name));
    }

    [Fact]
    public void TheConstantsAreTheFormats()
    {
        Assert.Equal(RegionHeader.MagicValue, BitConverter.ToUInt64("IPCRGN1\n"u8));
        Assert.Equal(0x474E4952u, RingHeader.MagicValue);
        Assert.Equal(0x4E54534Cu, ListenerHeader.MagicValue);
        Assert.Equal(0x4E4E4F43u, ConnectionHeader.MagicValue);
        Assert.Equal(0x43504F54u, TopicHeader.MagicValue);
        Assert.Equal((0x5854554Du, 0x414D4553u, 0x544E5645u), (MutexHeader.MagicValue, SemaphoreHeader.MagicValue, EventHeader.MagicValue));
        Assert.Equal(0x4C4F4F50u, PoolHeader.MagicValue);
        Assert.Equal((1024, 4096), (PoolHeader.FreeOffset, PoolHeader.TableOffset));
        Assert.Equal(0x0000_0007_1001_0001UL, PoolBlock.StateOf(7, 0x1001, PoolBlock.Owned));
        Assert.Equal(0x0000_0008_0000_0000UL, PoolBlock.Freed(0x0000_0007_0000_0002));
        Assert.Equal(0x8000_0005_0000_0007UL, RecordHeader.Of(7, 5));
        Assert.Equal(0xC000_0000_0000_0038UL, RecordHeader.Padding(64));
    }

    [Theory]
    [InlineData(0, 64)]
    [InlineData(1, 64)]
    [InlineData(56, 64)]
    [InlineData(57, 128)]
    [InlineData(120, 128)]
    [InlineData(121, 192)]
    public void ARecordTakesItsHeaderAndWholeLines(uint length, ulong size) => Assert.Equal(size, RecordHeader.SizeOf(length));

    private static IEnumerable<FieldInfo> Fields(Type type) => type
        .GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
        .OrderBy(field => (int)Marshal.OffsetOf(type, field.Name));
}
