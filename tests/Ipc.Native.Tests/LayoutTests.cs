using System;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>The structures of ipc.h, written down twice on purpose: tests/native/regions/binding_layout_test.c asserts the same numbers.</summary>
public sealed class LayoutTests
{
    [Theory]
    [InlineData("RingOptionsData", 64, "Access", 56)]
    [InlineData("RecordData", 16, "Redelivered", 14)]
    [InlineData("BlockData", 48, "Reserved", 16)]
    [InlineData("AccessData", 140, "Users", 12)]
    [InlineData("ListenerOptionsData", 56, "TakeOver", 52)]
    [InlineData("EventData", 16, "Connection", 8)]
    [InlineData("ConnectOptionsData", 88, "ProtocolLeastVersion", 83)]
    [InlineData("QueueOptionsData", 80, "Access", 72)]
    [InlineData("TopicOptionsData", 96, "Access", 88)]
    [InlineData("MessageData", 48, "Writer", 40)]
    [InlineData("SyncOptionsData", 56, "Access", 48)]
    [InlineData("QueueInfoData", 80, "LoansExhausted", 72)]
    [InlineData("TopicInfoData", 88, "LoansExhausted", 80)]
    [InlineData("ParticipantInfoData", 32, "Attached", 24)]
    [InlineData("ChangeData", 40, "Participant", 8)]
    [InlineData("NamedOptionsData", 56, "NoReconnect", 52)]
    [InlineData("NamedListenerOptionsData", 48, "Identity", 40)]
    [InlineData("NamedMessageData", 24, "Sequence", 16)]
    [InlineData("NamedEventData", 32, "Text", 24)]
    [InlineData("NamedEndData", 248, "Text", 5)]
    [InlineData("NamedResetData", 272, "UnacknowledgedReceived", 264)]
    public void AStructureIsThatOfTheHeader(string name, int size, string lastField, int offset)
    {
        Type type = typeof(IpcNative).Assembly.GetType("Ipc.Native." + name, throwOnError: true)!;
        Assert.Equal(size, Marshal.SizeOf(type));
        Assert.Equal(offset, (int)Marshal.OffsetOf(type, lastField));
        Assert.Equal(lastField, type.GetFields(BindingFlags.Public | BindingFlags.Instance).OrderBy(field => (int)Marshal.OffsetOf(type, field.Name)).Last().Name);
    }

    [Fact]
    public void NothingIsLeftToMarshal() => Assert.NotNull(typeof(IpcNative).Assembly.GetCustomAttribute<DisableRuntimeMarshallingAttribute>());
}
