using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>With whom a region is shared reaches the library: the mode of each file says so.</summary>
public sealed class AccessTests : IDisposable
{
    private const UnixFileMode OfAll = (UnixFileMode)0b110_110_110, OfGroup = (UnixFileMode)0b110_110_000, OfUser = (UnixFileMode)0b110_000_000;
    private readonly string _directory = Path.Combine(Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath(), "ipc-native-machine-" + Environment.ProcessId);

    public AccessTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "users meet on Linux only");
        Assert.Equal(0, setenv("IPC_MACHINE_DIR", _directory, 1)); // the library's own environment
    }

    public void Dispose()
    {
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }

    [Fact]
    public void WhateverIsOpenedTakesIt()
    {
        NativeAccess all = NativeAccess.Everybody;
        using NativeQueue queue = NativeQueue.Open("machine/queue", new NativeQueueOptions { Access = all });
        using NativeRingWriter writer = NativeRingWriter.Open("machine/writer", new NativeRingOptions { Access = all });
        using NativeRingReader reader = NativeRingReader.Open("machine/reader", new NativeRingOptions { Access = all });
        using NativeTopicWriter publisher = NativeTopicWriter.Open("machine/publisher", new NativeTopicOptions { Access = all });
        using NativeTopicReader subscriber = NativeTopicReader.Open("machine/subscriber", new NativeTopicOptions { Access = all });
        using NativeSharedMutex mutex = NativeSharedMutex.Open("machine/mutex", new NativeSyncOptions { Access = all });
        using NativeSharedSemaphore semaphore = NativeSharedSemaphore.Open("machine/semaphore", new NativeSyncOptions { Access = all });
        using NativeSharedEvent signal = NativeSharedEvent.Open("machine/event", new NativeSyncOptions { Access = all });
        using NativeListener listener = NativeListener.Open("machine/listener", new NativeListenerOptions { Access = all });
        foreach (string name in new[] { "queue", "writer", "reader", "publisher", "subscriber", "mutex", "semaphore", "event", "listener" })
            Assert.Equal((name, OfAll), (name, ModeOf(name)));
    }

    [Fact]
    public void AGroupAListAndNobodyElseAreToldApart()
    {
        using (NativeQueue.Open("machine/ours", new NativeQueueOptions { Access = NativeAccess.Group(getegid()) }))
            Assert.Equal(OfGroup, ModeOf("ours"));
        using (NativeQueue.Open("machine/mine", new NativeQueueOptions { Access = NativeAccess.User }))
            Assert.Equal(OfUser, ModeOf("mine"));
        using (NativeQueue.Open("machine/default"))
            Assert.Equal(OfUser, ModeOf("default"));
        using (NativeQueue.Open("machine/listed", new NativeQueueOptions { Access = NativeAccess.Users(geteuid(), 12345) }))
            Assert.Equal(OfGroup, ModeOf("listed")); // what stands there is the mask of the list
        NativeException plain = Assert.Throws<NativeException>(
            () => NativeQueue.Open(RegionName.Of(), new NativeQueueOptions { Access = NativeAccess.Everybody }));
        Assert.Equal(NativeStatus.InvalidArgument, plain.Status);
        Assert.Throws<ArgumentException>(() => NativeAccess.Users());
        Assert.Throws<ArgumentException>(() => NativeAccess.Users(new uint[NativeAccess.MaxUsers + 1]));
    }

    [Fact]
    public async Task AClientDemandsItsServersUserAndBothSayWhatTheySpeak()
    {
        using NativeListener listener = NativeListener.Open(
            "machine/service", new NativeListenerOptions { Access = NativeAccess.Everybody, Protocol = new NativeProtocol(0x8000, 3, 1) });
        Task<NativeConnection> asking = Task.Run(() => NativeConnection.Connect("machine/service", new NativeConnectOptions
        {
            Access = NativeAccess.User,
            Protocol = new NativeProtocol(0x8000, 2),
            Deadline = NativeDeadline.After(TimeSpan.FromSeconds(60)),
        }), TestContext.Current.CancellationToken);
        Assert.Equal(NativeStatus.Ok, listener.Next(out _, out NativeConnection? asked, NativeDeadline.After(TimeSpan.FromSeconds(60))));
        Assert.Equal((geteuid(), 2), (asked!.PeerUser, asked.ProtocolVersion));
        asked.Accept();
        using NativeConnection connection = await asking;
        Assert.Equal((geteuid(), 2), (connection.PeerUser, connection.ProtocolVersion));
        NativeException other = Assert.Throws<NativeException>(
            () => NativeConnection.Connect("machine/service", new NativeConnectOptions { Protocol = new NativeProtocol(0x8000, 5, 4) }));
        Assert.Equal(NativeStatus.WrongVersion, other.Status);
        asked.Dispose();
    }

    private UnixFileMode ModeOf(string name) => OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(Path.Combine(_directory, name));

    [DllImport("libc", CharSet = CharSet.Ansi)]
    private static extern int setenv([MarshalAs(UnmanagedType.LPUTF8Str)] string name, [MarshalAs(UnmanagedType.LPUTF8Str)] string value, int overwrite);

    [DllImport("libc")]
    private static extern uint geteuid();

    [DllImport("libc")]
    private static extern uint getegid();
}
