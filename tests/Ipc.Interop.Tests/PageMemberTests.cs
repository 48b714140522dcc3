using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Interop.Tests;

/// <summary>Who implements docs/wire-format.md, and nothing more, gets on with both libraries: nobody waits for a deadline, nobody for a wake-up that the page does not promise.</summary>
public sealed class PageMemberTests(Peers peers)
{
    private const string Long = "timeout=600000", Two = "block=64 count=2 budget=none wait=block";

    public static TheoryData<Language> Languages => new() { Language.C, Language.CSharp };

    [Theory]
    [MemberData(nameof(Languages))]
    public async Task MessagesPassBothWays(Language language)
    {
        string name = peers.NewName("page");
        Driven other = peers.At(language, "sender");
        other.Must($"open-queue 1 {name} {Two}");
        using (var member = new PageMember(peers.Directory.FileOf(name)))
        {
            for (int i = 0; i < 10; i++)
            {
                other.Begin($"read 1 {Long}");
                if (i % 3 == 0)
                    other.WaitUntilAsleep();
                member.Commit(member.Claim(), new byte[10], (ushort)(i + 1));
                Assert.Equal(i + 1, other.Result()["type"]);
                other.Must("release 1");

                Task<int> received = Task.Run(member.Receive, TestContext.Current.CancellationToken);
                other.Must($"write 1 1 10 {i + 1}");
                Assert.Equal(i + 1, await received.WaitAsync(Watchdog.Patience, TestContext.Current.CancellationToken));
            }

            member.Leave();
        }

        Close(other, name);
    }

    /// <summary>A sender waits for what the member has claimed. It leaves in order, or without the region lock: the sender goes on.</summary>
    [Theory]
    [InlineData(Language.C, true)]
    [InlineData(Language.C, false)]
    [InlineData(Language.CSharp, true)]
    [InlineData(Language.CSharp, false)]
    public void ASenderGoesOnWhenAMemberLeaves(Language language, bool inOrder)
    {
        string name = peers.NewName("page");
        Driven sender = peers.At(language, "sender");
        sender.Must($"open-queue 1 {name} {Two}");
        using (var member = new PageMember(peers.Directory.FileOf(name)))
        {
            member.Claim();
            member.Claim();
            sender.Begin($"write 1 1 10 1 {Long}");
            sender.WaitUntilAsleep();
            Assert.False(sender.HasAnswered);
            if (inOrder)
                member.Leave();
            else
                member.GiveUp();
            Assert.Equal(IpcStatus.Ok, sender.Result().Status);
        }

        sender.Must("read 1");
        sender.Must("release 1");
        Close(sender, name);
    }

    /// <summary>It sleeps on `change`, whose count moves with whoever comes, leaves and dies, whether somebody sleeps or not.</summary>
    [Theory]
    [MemberData(nameof(Languages))]
    public void AMemberIsToldOfWhoComesAndGoes(Language language)
    {
        string name = peers.NewName("page");
        Driven keeper = peers.At(language, "sender"), other = peers.At(language, "receiver");
        keeper.Must($"open-queue 1 {name} {Two}");
        using (var member = new PageMember(peers.Directory.FileOf(name)))
        {
            Told(member, () => other.Must($"open-queue 1 {name} open=existing"));
            Told(member, () => other.Must("close 1"));
            uint before = member.Changes;
            other.Must($"open-queue 1 {name} open=existing"); // nobody sleeps
            Assert.NotEqual(before, member.Changes);
            other.Must("close 1");
            using Driven dying = peers.New(language);
            dying.Must($"open-queue 1 {name} open=existing");
            keeper.Begin($"read 1 {Long}"); // it watches the others now
            keeper.WaitUntilAsleep();
            Told(member, dying.Kill);
            member.Commit(member.Claim(), new byte[1], 1);
            Assert.Equal(IpcStatus.Ok, keeper.Result().Status);
            keeper.Must("release 1");
            member.Leave();
        }

        Close(keeper, name);
    }

    private static void Told(PageMember member, System.Action happens)
    {
        uint before = member.Changes;
        Task sleeping = Task.Run(() => member.SleepUntilChanged(before), TestContext.Current.CancellationToken);
        happens();
        Assert.True(sleeping.Wait(Watchdog.Patience, TestContext.Current.CancellationToken));
    }

    private void Close(Driven last, string name)
    {
        last.Must("close 1");
        Assert.Empty(peers.Directory.FilesOf(name));
    }
}
