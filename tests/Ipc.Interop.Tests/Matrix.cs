using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>{C#, C} x {C#, C}: who sits at the one end, who at the other.</summary>
public static class Matrix
{
    public static TheoryData<Language, Language> Pairs => new()
    {
        { Language.CSharp, Language.CSharp },
        { Language.CSharp, Language.C },
        { Language.C, Language.CSharp },
        { Language.C, Language.C },
    };

    public static TheoryData<Language, Language, string> PairsAndWaitModes
    {
        get
        {
            var data = new TheoryData<Language, Language, string>();
            foreach (string mode in new[] { "adaptive", "spin", "block" })
            {
                data.Add(Language.CSharp, Language.CSharp, mode);
                data.Add(Language.CSharp, Language.C, mode);
                data.Add(Language.C, Language.CSharp, mode);
                data.Add(Language.C, Language.C, mode);
            }
            return data;
        }
    }

    public static TheoryData<Language> Languages => [Language.CSharp, Language.C];

    public static Language Other(Language language) => language == Language.C ? Language.CSharp : Language.C;

    /// <summary>For a test of something that the emulator of the peers in C, where they need one, does not pass on to the kernel.</summary>
    public static void SkipWhenEmulated(Language language, string what) =>
        Assert.SkipWhen(language == Language.C && PeerPrograms.NativeEmulator != null, $"{PeerPrograms.NativeEmulator} runs the peer in C here, and does not know {what}");
}
