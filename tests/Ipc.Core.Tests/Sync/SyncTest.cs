using Ipc.Testing.Images;

namespace Ipc.Core.Tests;

/// <summary>What the tests of mutex, semaphore and event have in common.</summary>
public abstract class SyncTest : RegionTest
{
    /// <summary>Where things are in the body, typed again from docs/wire-format.md section 12.</summary>
    protected static class At
    {
        public const int Magic = 0, Permits = 4, Manual = 4, Word = 128, Waiter = 256, Table = 512;
    }

    protected const uint Abandoned = 0x8000_0000;

    /// <summary>The owner number of the participant that <see cref="AddDead"/> makes.</summary>
    protected const uint Dead = 201;

    /// <summary>A participant whose process is no more, and nobody knows yet.</summary>
    protected static void AddDead(LiveRegion bytes)
    {
        long entry = Wire.Region.Participants + ((Dead - 1) * Wire.Participant.Size);
        bytes[entry + Wire.Participant.Generation] = 1;
        bytes[entry + Wire.Participant.Pid] = RegionImage.NobodysPid;
        bytes[entry + Wire.Participant.Role] = 3;
        bytes[entry + Wire.Participant.State] = 1;
    }
}
