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
    [InlineData("RingOptionsData", 56, "LoanBudget", 48)]
    [InlineData("RecordData", 16, "Redelivered", 14)]
    [InlineData("BlockData", 48, "Reserved", 16)]
    [InlineData("ListenerOptionsData", 40, "MaxLoanBudget", 32)]
    [InlineData("EventData", 16, "Connection", 8)]
    [InlineData("ConnectOptionsData", 72, "LoanBudget", 64)]
    [InlineData("QueueOptionsData", 72, "Cancel", 64)]
    [InlineData("TopicOptionsData", 88, "Ignore", 80)]
    [InlineData("MessageData", 48, "Writer", 40)]
    [InlineData("SyncOptionsData", 48, "Cancel", 40)]
    [InlineData("QueueInfoData", 80, "LoansExhausted", 72)]
    [InlineData("TopicInfoData", 88, "LoansExhausted", 80)]
    [InlineData("ParticipantInfoData", 32, "Attached", 24)]
    [InlineData("ChangeData", 40, "Participant", 8)]
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
