using System;
using System.Buffers.Binary;
using System.IO;
using Ipc.Testing.Drive;
using Ipc.Testing.Images;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>The ring of the storm, its two ends of the moment, and what they noted in files that outlive them.</summary>
/// <remarks>
/// The writer notes the number that it tries before it commits and the number that it has done after. A writer that dies in
/// between leaves one number in doubt. It is resolved by the reader: the successor of a writer starts only when the ring has
/// been read empty, and then the last number read must be the one tried or the one done.
/// </remarks>
internal sealed class StormRing : IDisposable
{
    private readonly Peers _peers;
    private readonly Random _random;
    private readonly string _name, _writerSide, _readerSide;
    private readonly int _max;
    private Driven _writer, _reader;

    public StormRing(Peers peers, RegionDirectory sides, Random random, string name, int max)
    {
        (_peers, _random, _name, _max) = (peers, random, name, max);
        _writerSide = sides.FileOf("writer");
        _readerSide = sides.FileOf("reader");
        sides.Place("writer", new byte[4096]);
        sides.Place("reader", new byte[4096]);
        _reader = StartReader();
        _writer = StartWriter(1);
    }

    private ulong Tried => Note(_writerSide, 0);

    private ulong Done => Note(_writerSide, 8);

    private ulong Read => Note(_readerSide, 8);

    /// <summary>Waits until so many more numbers have been read.</summary>
    public void WaitForProgress(ulong numbers)
    {
        ulong target = Read + numbers;
        Watchdog.Until(() => Read >= target || Failed(_reader) || Failed(_writer), $"number {target}");
        Check(_reader);
        Check(_writer);
    }

    public void ReplaceReader()
    {
        _reader.Kill();
        _reader.Dispose();
        _reader = StartReader();
    }

    public void ReplaceWriter()
    {
        _writer.Kill();
        NextWriter(ulong.MaxValue / 4);
    }

    public void ReplaceBoth()
    {
        _writer.Kill();
        ReplaceReader();
        NextWriter(ulong.MaxValue / 4);
    }

    /// <summary>Lets everything arrive, closes both ends, finds the region as new, removes it. The last number.</summary>
    public ulong Finish()
    {
        _writer.Kill();
        Drain();
        ulong last = Read + 5000;
        _reader.Kill();
        _reader.Dispose();
        _reader = Attach("reader");
        _reader.Begin($"storm-read 1 {_readerSide} {last + 1}");
        NextWriter(last + 1);
        Assert.Equal("0", _writer.Result().Line);
        Assert.Equal(IpcStatus.Ok, _reader.Result().Status);
        Assert.Equal(last, Read);
        using (var region = new LiveRegion(_peers.Directory.FileOf(_name)))
        {
            int taken = 0;
            for (int i = 0; i < region[Wire.Region.ParticipantCapacity]; i++)
                taken += region[Wire.Region.Participants + i * Wire.Participant.Size] != 0 ? 1 : 0;
            Assert.Equal(2, taken);
        }
        _writer.Must("close 1");
        _reader.Must("close 1");
        File.Delete(_peers.Directory.FileOf(_name));
        Assert.Empty(_peers.Directory.FilesOf(_name));
        return last;
    }

    public void Dispose()
    {
        _writer.Dispose();
        _reader.Dispose();
    }

    /// <summary>After the death of a writer: everything that it published has been read, and one of two numbers was the last.</summary>
    private void Drain()
    {
        using (var region = new LiveRegion(_peers.Directory.FileOf(_name)))
        {
            long ring = region.Body;
            long data = (long)region.U64(ring + Wire.Ring.DataOffset);
            ulong capacity = region.U64(ring + Wire.Ring.Capacity);
            Watchdog.Until(
                () => region.U64(data + (long)(region.U64(ring + Wire.Ring.ReadPosition) % capacity)) == 0 || Failed(_reader),
                "the reader to empty the ring");
        }
        Check(_reader);
        Assert.True(Read == Done || Read == Tried, $"the writer had done {Done} and tried {Tried}, the last number read is {Read}");
    }

    private void NextWriter(ulong to)
    {
        Drain();
        _writer.Dispose();
        _writer = StartWriter(Read + 1, to);
    }

    private Driven StartWriter(ulong from, ulong to = ulong.MaxValue / 4)
    {
        Driven writer = Attach("writer");
        return writer.Begin($"storm-write 1 {_writerSide} {from} {to} {_max}");
    }

    private Driven StartReader() => Attach("reader").Begin($"storm-read 1 {_readerSide} {ulong.MaxValue / 4}");

    private Driven Attach(string end)
    {
        Driven peer = _peers.New(_random.Next(3) == 0 ? Language.CSharp : Language.C); // C starts sooner: more kills
        peer.Must($"open-{end} 1 {_name} lifetime=persistent capacity=16384 wait={(_random.Next(2) == 0 ? "block" : "adaptive")}");
        return peer;
    }

    private static bool Failed(Driven peer) => peer.HasAnswered || peer.HasExited;

    private static void Check(Driven peer)
    {
        if (peer.HasAnswered)
            Assert.Fail($"{peer.Language} ended its part of the storm: {peer.Result()}");
        Assert.False(peer.HasExited, $"a {peer.Language} peer is gone");
    }

    private static ulong Note(string file, int offset)
    {
        using var stream = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        Span<byte> bytes = stackalloc byte[8];
        stream.Position = offset;
        stream.ReadExactly(bytes);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }
}
