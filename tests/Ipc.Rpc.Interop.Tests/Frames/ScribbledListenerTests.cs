using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Testing.Images;
using Xunit;
using static Ipc.Rpc.Interop.Tests.Frames.Wire;
using Words = Ipc.Testing.Images.Wire;

namespace Ipc.Rpc.Interop.Tests.Frames;

/// <summary>A process of the same user turns the words of a server's listener. A server believes none of them: it goes on, and so do its clients.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class ScribbledListenerTests
{
    private static readonly ulong[] _values = [0, 1, 2, 3, 4, 7, uint.MaxValue, 0x0000_0000_0000_1202, ulong.MaxValue - 253, ulong.MaxValue];

    [Theory]
    [InlineData(Language.CSharp)]
    [InlineData(Language.Cpp)]
    public void NoWordInTheListenersRegionEndsAServer(Language language)
    {
        using var server = new ServerUnderTest(language);
        using RawPeer bystander = RawPeer.Connect(server.Name);
        ulong call = 0;
        string file = Path.Combine(Environment.GetEnvironmentVariable("IPC_DIR")!, server.Name);
        using (var region = new LiveRegion(file))
        {
            long doorbell = region.Body + Words.Listener.Doorbell, ready = (long)region.U64(region.Body + Words.Listener.ReadyOffset);
            foreach (long word in WordsOf(region))
            {
                ulong before = region.U64(word);
                foreach (ulong value in _values)
                {
                    region.U64(word, value);
                    region.Or(ready, ulong.MaxValue); // look at all of them
                    region.Signal(doorbell);
                    MustAnswer(bystander, ++call);
                }

                region.U64(word, before);
            }
        }

        using RawPeer newcomer = RawPeer.Connect(server.Name);
        MustAnswer(newcomer, 1);
        MustAnswer(bystander, ++call);
        Assert.False(server.HasEnded);
    }

    /// <summary>All but what the bystander goes by: its own slot, its entry and the server's, and whether the doorbell needs a fence.</summary>
    private static IEnumerable<long> WordsOf(LiveRegion region)
    {
        foreach (int word in new[] { Words.Region.Magic, Words.Region.Major, Words.Region.TotalSize, Words.Region.ParticipantOffset, Words.Region.BodyOffset, Words.Region.BodySize, Words.Region.State })
            yield return word;
        foreach (int word in new[] { Words.Listener.Magic, Words.Listener.SlotsOffset, Words.Listener.ReadyOffset, Words.Listener.MaxRingCapacity, Words.Listener.ServerState })
            yield return region.Body + word;
        for (int entry = 2; entry < 4; entry++)
        {
            for (int word = 0; word < 48; word += 8)
                yield return Words.Region.Participants + (entry * Words.Participant.Size) + word;
        }

        long slots = (long)region.U64(region.Body + Words.Listener.SlotsOffset);
        foreach (int slot in new[] { 0, 2, 3, 63 })
            yield return slots + (slot * Words.Listener.SlotSize);
    }

    private static void MustAnswer(RawPeer client, ulong call)
    {
        client.Send(Ask("Echo", call, Text(1, "still")));
        RawPeer.Frame? answer = client.Receive();
        Assert.True(answer is not null, $"the server closed: {client.PeerCloseCode}, {client.PeerCloseText}");
        Assert.Equal((Response, call), (answer.Kind, answer.Call));
    }
}
