using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Core.Tests;

public sealed class RegionTests : RegionTest
{
    [Theory]
    [InlineData("")]
    [InlineData(".hidden")]
    [InlineData("..")]
    [InlineData("a/b")]
    [InlineData("a b")]
    [InlineData("a~b")]
    [InlineData("ä")]
    [InlineData("a\0")]
    public void ABadNameIsRefused(string name)
    {
        Fails(IpcStatus.InvalidName, () => RingWriter.Open(name));
        Fails(IpcStatus.InvalidName, () => Listener.Open(name));
        Fails(IpcStatus.InvalidName, () => Connection.Connect(name));
    }

    [Fact]
    public void ANameMayHave120Characters()
    {
        Fails(IpcStatus.InvalidName, () => RingWriter.Open(new string('a', 121)));
        RingWriter.Open("A-z_0." + new string('a', 114)).Dispose();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2048)]
    [InlineData(5000)]
    [InlineData(1L << 31)]
    [InlineData(-1)]
    public void ABadCapacityIsRefused(long capacity) =>
        Fails(IpcStatus.InvalidArgument, () => RingWriter.Open("ring", new RingOptions { Capacity = capacity }));

    [Fact]
    public void TheLastToLeaveRemovesTheName()
    {
        RingWriter writer = RingWriter.Open("ring", Small());
        RingReader reader = RingReader.Open("ring");
        writer.Dispose();
        Assert.True(Regions.Has("ring"));
        reader.Dispose();
        Assert.False(Regions.Has("ring"));
    }

    [Fact]
    public void FilesAreTheOwnersAlone()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Regions.FileOf("ring")));
    }

    [Fact]
    public void APersistentRingStays()
    {
        RingWriter.Open("ring", new RingOptions { Capacity = 4096, Lifetime = Lifetime.Persistent }).Dispose();
        using (RingWriter writer = RingWriter.Open("ring", Small(OpenMode.OpenExisting)))
            Assert.True(writer.TryWrite("kept"u8));
        using (RingReader reader = RingReader.Open("ring", Small(OpenMode.OpenExisting)))
        {
            Assert.True(reader.TryRead(out RingRecord record));
            Assert.Equal("kept"u8.ToArray(), record.Payload.ToArray());
            Assert.False(record.Redelivered);
        }

        Fails(IpcStatus.Exists, () => RingWriter.Open("ring", Small(OpenMode.CreateNew)));
        LeavesFiles = true;
    }

    [Fact]
    public void TheFirstCreatorsCapacityHolds()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring", new RingOptions { Capacity = 65536 });
        Assert.Equal(4096, reader.Capacity);
    }

    [Fact]
    public void ASecondWriterOrReaderIsRefusedAndNamed()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using RingReader reader = RingReader.Open("ring");
        string pid = Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture);
        Assert.Contains(pid, Fails(IpcStatus.InUse, () => RingWriter.Open("ring")).Message, StringComparison.Ordinal);
        Assert.Contains(pid, Fails(IpcStatus.InUse, () => RingReader.Open("ring")).Message, StringComparison.Ordinal);
        Assert.True(writer.TryWrite("unharmed"u8));
        Assert.True(reader.TryRead(out _));
    }

    [Fact]
    public void ALaterWriterContinuesWhereTheFirstEnded()
    {
        using RingReader reader = RingReader.Open("ring", Small());
        for (ushort i = 0; i < 200; i++)
        {
            using (RingWriter writer = RingWriter.Open("ring"))
                Assert.True(writer.TryWrite(new byte[i], i));
            if (i % 3 != 0)
                continue;
            while (reader.TryRead(out RingRecord record))
                Assert.Equal(record.Type, record.Payload.Length);
            reader.Release();
        }
    }

    [Fact]
    public void ALaterReaderGetsWhatTheFirstDidNotRelease()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        for (ushort i = 0; i < 5; i++)
            Assert.True(writer.TryWrite(new byte[i], i));
        using (RingReader first = RingReader.Open("ring"))
        {
            Assert.True(first.TryRead(out _));
            Assert.True(first.TryRead(out _));
            first.Release();
            Assert.True(first.TryRead(out _));
        }

        using RingReader second = RingReader.Open("ring");
        Assert.True(second.TryRead(out RingRecord record));
        Assert.Equal(2, record.Type);
        Assert.True(record.Redelivered); // the first had read it: it may have been handled
        Assert.True(second.TryRead(out record));
        Assert.False(record.Redelivered);
    }

    [Fact]
    public void AThousandAttachmentsLeaveTheTableAsNew()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        for (int i = 0; i < 1000; i++)
            RingReader.Open("ring").Dispose();
        using LiveRegion bytes = Look("ring");
        for (int entry = 1; entry < 16; entry++)
            Assert.Equal(0u, bytes[Wire.Region.Participants + entry * Wire.Participant.Size]);
        Assert.Equal(1000u, bytes[Wire.Region.Participants + Wire.Participant.Size + Wire.Participant.Generation]);
        Assert.Equal(0u, bytes[bytes.Body + Wire.Ring.Reader]);
        Assert.Equal(Wire.Ring.Left, bytes[bytes.Body + Wire.Ring.ReaderState]);
    }

    [Fact]
    public void CreateNewRefusesALiveRing()
    {
        using RingWriter writer = RingWriter.Open("ring", Small(OpenMode.CreateNew));
        Fails(IpcStatus.Exists, () => RingReader.Open("ring", Small(OpenMode.CreateNew)));
    }

    [Theory]
    [InlineData(OpenMode.CreateNew)]
    [InlineData(OpenMode.OpenOrCreate)]
    public void ALeftOverIsReplaced(OpenMode mode)
    {
        RingImage image = RegionImage.Ring(persistent: false);
        RegionImage.AddParticipant(image, 0, Wire.Participant.RoleWriter);
        image.AddNumbered(0, 5, 50);
        Regions.Place("ring", image.Bytes);
        using RingReader reader = RingReader.Open("ring", Small(mode));
        Assert.False(reader.TryRead(out _));
    }

    [Fact]
    public void ALeftOverIsNotFoundByWhoDoesNotCreate()
    {
        RingImage image = RegionImage.Ring(persistent: false);
        RegionImage.AddParticipant(image, 0, Wire.Participant.RoleWriter);
        Regions.Place("ring", image.Bytes);
        Fails(IpcStatus.NotFound, () => RingReader.Open("ring", Small(OpenMode.OpenExisting)));
        Assert.False(Regions.Has("ring"));
    }

    [Fact]
    public void ARetiredRegionThatKeptItsNameIsRemoved()
    {
        RingImage image = RegionImage.Ring();
        image[Wire.Region.State] = Wire.Region.StateRetired;
        Regions.Place("ring", image.Bytes);
        using RingReader reader = RingReader.Open("ring", Small());
        Assert.Equal(4096, reader.Capacity);
    }

    [Fact]
    public void OpeningWhatIsNotThereFailsAtOnce() =>
        Fails(IpcStatus.NotFound, () => RingReader.Open("ring", Small(OpenMode.OpenExisting)));

    [Fact]
    public void OpeningWaitsForTheCreator()
    {
        RingReader? reader = null;
        Background opener = Run(() => reader = RingReader.Open("ring", new RingOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = Watchdog.Patience }));
        opener.UntilAsleep();
        using RingWriter writer = RingWriter.Open("ring", Small());
        opener.Join();
        Assert.Equal(PeerState.Live, reader!.Peer);
        reader.Dispose();
    }

    [Fact]
    public void OpeningGivesUpAtItsDeadlineAndNotBefore()
    {
        long began = Stopwatch.GetTimestamp();
        Fails(IpcStatus.NotFound, () => RingReader.Open("ring", new RingOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = TimeSpan.FromMilliseconds(80) }));
        Assert.InRange(Stopwatch.GetElapsedTime(began).TotalMilliseconds, 80, Watchdog.Patience.TotalMilliseconds);
    }

    [Fact]
    public void OpeningCanBeCancelled()
    {
        using CancellationTokenSource cancel = new();
        Background opener = Run(() => Fails(IpcStatus.Cancelled, () =>
            RingReader.Open("ring", new RingOptions { OpenMode = OpenMode.OpenExisting, OpenTimeout = Timeout.InfiniteTimeSpan }, cancel.Token)));
        opener.UntilAsleep();
        cancel.Cancel();
        opener.Join();
    }

    public static TheoryData<int, int, ulong, IpcStatus> BadFields => new()
    {
        { Wire.Region.Magic, 8, 0, IpcStatus.Corrupt },
        { Wire.Region.Major, 2, 2, IpcStatus.WrongVersion },
        { Wire.Region.Major, 2, 0, IpcStatus.WrongVersion },
        { Wire.Region.Kind, 4, 2, IpcStatus.WrongKind },
        { Wire.Region.Kind, 4, 77, IpcStatus.WrongKind },
        { Wire.Region.TotalSize, 8, 4096, IpcStatus.Corrupt },
        { Wire.Region.TotalSize, 8, ulong.MaxValue, IpcStatus.Corrupt },
        { Wire.Region.ParticipantOffset, 4, 0, IpcStatus.Corrupt },
        { Wire.Region.ParticipantOffset, 4, 0xFFFFFF80, IpcStatus.Corrupt },
        { Wire.Region.ParticipantCapacity, 4, 4097, IpcStatus.Corrupt },
        { Wire.Region.ParticipantCapacity, 4, uint.MaxValue, IpcStatus.Corrupt },
        { Wire.Region.BodyOffset, 8, 0, IpcStatus.Corrupt },
        { Wire.Region.BodyOffset, 8, 2049, IpcStatus.Corrupt },
        { Wire.Region.BodyOffset, 8, ulong.MaxValue - 127, IpcStatus.Corrupt },
        { Wire.Region.BodySize, 8, 0, IpcStatus.Corrupt },
        { Wire.Region.BodySize, 8, ulong.MaxValue, IpcStatus.Corrupt },
        { Wire.Region.State, 4, 0, IpcStatus.Corrupt },
        { Wire.Region.State, 4, 3, IpcStatus.Corrupt },
    };

    [Theory]
    [MemberData(nameof(BadFields))]
    public void ABadHeaderFieldIsRefusedAndTheFileUntouched(int offset, int width, ulong value, IpcStatus status)
    {
        RingImage image = RegionImage.Ring();
        image.Write(offset, width, value);
        RefusesUntouched(image.Bytes, status);
    }

    [Theory]
    [InlineData(Wire.Ring.Magic, 4, 0)]
    [InlineData(Wire.Ring.Capacity, 8, 0)]
    [InlineData(Wire.Ring.Capacity, 8, 5000)]
    [InlineData(Wire.Ring.Capacity, 8, 8192)]
    [InlineData(Wire.Ring.Capacity, 8, 1UL << 63)]
    [InlineData(Wire.Ring.DataOffset, 8, 0)]
    [InlineData(Wire.Ring.DataOffset, 8, 8192)]
    [InlineData(Wire.Ring.DataOffset, 8, ulong.MaxValue - 4095)]
    public void ABadRingFieldIsRefusedAndTheFileUntouched(int offset, int width, ulong value)
    {
        RingImage image = RegionImage.Ring();
        image.Write(image.Ring + offset, width, value);
        RefusesUntouched(image.Bytes, IpcStatus.Corrupt);
    }

    [Fact]
    public void ARegionIdOfZeroIsRefused()
    {
        RingImage image = RegionImage.Ring();
        image.Bytes.AsSpan(Wire.Region.Id, 16).Clear();
        RefusesUntouched(image.Bytes, IpcStatus.Corrupt);
    }

    [Fact]
    public void AHigherMinorVersionIsAccepted()
    {
        RingImage image = RegionImage.Ring();
        image.U16(Wire.Region.Minor, 9);
        Regions.Place("ring", image.Bytes);
        RingReader.Open("ring").Dispose();
        LeavesFiles = true;
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(511)]
    [InlineData(4095)]
    [InlineData(4096)]
    [InlineData(8191)]
    public void ATruncatedFileIsRefused(int length) => RefusesUntouched(RegionImage.Ring().Bytes.AsSpan(0, length).ToArray(), IpcStatus.Corrupt);

    [Fact]
    public void GarbageIsRefused()
    {
        byte[] garbage = new byte[8192];
        new Random(1).NextBytes(garbage);
        RefusesUntouched(garbage, IpcStatus.Corrupt);
    }

    [Fact]
    public void BothValuesAreInTheMessage()
    {
        RingImage image = RegionImage.Ring();
        image.U16(Wire.Region.Major, 3);
        Regions.Place("ring", image.Bytes);
        string message = Fails(IpcStatus.WrongVersion, () => RingReader.Open("ring")).Message;
        Assert.Contains("3.0", message, StringComparison.Ordinal);
        Assert.Contains("1.0", message, StringComparison.Ordinal);
        LeavesFiles = true;
    }

    [Fact]
    public void ALinkIsNotFollowed()
    {
        Regions.Place("other", RegionImage.Ring().Bytes);
        File.CreateSymbolicLink(Regions.FileOf("ring"), Regions.FileOf("other"));
        Fails(IpcStatus.Corrupt, () => RingReader.Open("ring"));
        LeavesFiles = true;
    }

    [Fact]
    public void ADirectoryIsNotARegion()
    {
        Directory.CreateDirectory(Regions.FileOf("ring"));
        Fails(IpcStatus.Corrupt, () => RingReader.Open("ring"));
        LeavesFiles = true;
    }

    [Fact]
    public void AnotherUsersFileIsRefused()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "only root can give a file away");
        Regions.Place("ring", RegionImage.Ring().Bytes);
        Assert.Equal(0, ChangeOwner(Regions.FileOf("ring"), 65534, 65534));
        Fails(IpcStatus.AccessDenied, () => RingReader.Open("ring"));
        LeavesFiles = true;
    }

    [Fact]
    public void ADirectoryThatCannotBeMadeIsASystemError()
    {
        Environment.SetEnvironmentVariable("IPC_DIR", Regions.Path + "/missing/deeper");
        IpcException error = Fails(IpcStatus.SystemError, () => RingReader.Open("ring"));
        Assert.NotEqual(0, error.SystemErrorCode);
    }

    [Fact]
    public void AFullDiskIsAnErrorAtCreationAndLeavesNothing()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "only root can mount a small file system");
        string mount = Directory.CreateTempSubdirectory("ipc-full").FullName;
        Assert.SkipUnless(Shell("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", mount) == 0, "mounting is not allowed here");
        try
        {
            Environment.SetEnvironmentVariable("IPC_DIR", mount);
            IpcException error = Fails(IpcStatus.NoSpace, () => RingWriter.Open("ring", new RingOptions { Capacity = 128 << 10 }));
            Assert.NotEqual(0, error.SystemErrorCode);
            Assert.Empty(Directory.GetFileSystemEntries(mount));
            using RingWriter small = RingWriter.Open("ring", Small());
            Assert.True(small.TryWrite("there is room for this"u8));
        }
        finally
        {
            Assert.Equal(0, Shell("umount", mount));
            Directory.Delete(mount);
        }
    }

    [Fact]
    public void AFullTableIsATypedError()
    {
        RingImage image = RegionImage.Ring(participants: 1);
        Regions.Place("ring", image.Bytes);
        using RingWriter writer = RingWriter.Open("ring");
        Fails(IpcStatus.TableFull, () => RingReader.Open("ring"));
        LeavesFiles = true;
    }

    [Fact]
    public void AHeldRegionLockEndsInATimeout()
    {
        using RingWriter writer = RingWriter.Open("ring", Small());
        using LiveRegion bytes = Look("ring");
        Assert.True(bytes.TryLock(Wire.Region.LockOfRegion));
        Fails(IpcStatus.Timeout, () => RingReader.Open("ring"));
        // The lock goes with the LiveRegion, before the writer leaves.
    }

    /// <summary>The size was looked at, then the file grew, then it was mapped: an ArgumentOutOfRangeException went past every handler of a server.</summary>
    [Fact]
    public void AFileThatGrowsWhileItIsOpenedIsCorrupt()
    {
        string path = Regions.FileOf("grown");
        System.IO.File.WriteAllBytes(path, new byte[8192]);
        using (RegionFile file = Os.Current.OpenFile(path)!)
        {
            using (System.IO.FileStream other = System.IO.File.OpenWrite(path))
                other.SetLength(1 << 20);
            CorruptRegionException error = Assert.Throws<CorruptRegionException>(() => new MappedView(file, 8192));
            Assert.Contains("1048576", error.Message, StringComparison.Ordinal);
            Assert.Contains("8192", error.Message, StringComparison.Ordinal);
        }

        System.IO.File.Delete(path);
    }

    [Fact]
    public void CorruptionWithACauseIsCorruptionToo() =>
        Assert.Equal(IpcStatus.Corrupt, new CorruptRegionException("what was found", new InvalidOperationException()).Status);

    [Fact]
    public void ManyThreadsOpenOneNameAndNeverMiss()
    {
        const int Rounds = 150;
        for (int round = 0; round < Rounds; round++)
        {
            using Barrier start = new(2);
            RingWriter? writer = null;
            RingReader? reader = null;
            Background left = Run(() =>
            {
                start.SignalAndWait();
                writer = RingWriter.Open("ring", Small());
            });
            Background right = Run(() =>
            {
                start.SignalAndWait();
                reader = RingReader.Open("ring", Small());
            });
            left.Join();
            right.Join();
            Assert.True(writer!.TryWrite("meet"u8), "both have the same region");
            Assert.True(reader!.TryRead(out _));
            reader.Release(); // or the ring would stay for who reads it again
            left = Run(writer.Dispose);
            right = Run(reader.Dispose);
            left.Join();
            right.Join();
            Assert.False(Regions.Has("ring"));
        }
    }

    private void RefusesUntouched(byte[] bytes, IpcStatus status)
    {
        Regions.Place("ring", bytes);
        foreach (OpenMode mode in Enum.GetValues<OpenMode>())
        {
            Fails(status, () => RingReader.Open("ring", Small(mode)));
            Fails(status, () => RingWriter.Open("ring", Small(mode)));
        }

        Assert.True(bytes.SequenceEqual(Regions.Read("ring")));
        LeavesFiles = true;
    }

    private static int Shell(string command, params string[] arguments)
    {
        using Process process = Process.Start(command, arguments);
        process.WaitForExit();
        return process.ExitCode;
    }

    [DllImport("libc", EntryPoint = "chown")]
    private static extern int ChangeOwner([MarshalAs(UnmanagedType.LPStr)] string path, uint user, uint group);
}
