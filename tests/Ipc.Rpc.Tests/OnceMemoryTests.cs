using System;
using System.Collections.Generic;
using System.Linq;
using Ipc.Rpc.Peer;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>What a server remembers, how long and of whom.</summary>
public sealed class OnceMemoryTests
{
    private long _ticks = DateTime.UtcNow.Ticks;
    private TimeSpan _clock = TimeSpan.FromHours(1);

    [Fact]
    public void AnOutcomeIsRememberedForItsTime()
    {
        OnceMemory memory = Memory();
        _ticks += 10;
        RpcOnceId id = Id();
        Execute(memory, id, user: 1);
        _clock += TimeSpan.FromMinutes(10);
        Assert.NotNull(Enter(memory, id, 1, out bool isNew, out _));
        Assert.False(isNew);
        _clock += TimeSpan.FromTicks(1);
        Assert.Null(Enter(memory, id, 1, out _, out RpcOnceRefusal refusal));
        Assert.Equal(RpcOnceRefusal.Forgotten, refusal);
        Assert.Equal((0, 0), memory.Size);
        _ticks += 10;
        Assert.NotNull(Enter(memory, Id(), 1, out isNew, out _));
        Assert.True(isNew);
    }

    [Fact]
    public void BytesAreBounded()
    {
        OnceMemory memory = Memory(once => (once.MaxOutcomeBytes, once.MaxBytes) = (1000, 5000));
        for (int i = 0; i < 100; i++)
        {
            _ticks += 10;
            Execute(memory, Id(), 1, new byte[900]);
            Assert.InRange(memory.Size.Bytes, 1, 5000);
        }

        Assert.Equal(4, memory.Size.Count);
    }

    [Fact]
    public void AnotherUsersIdIsAnotherCall()
    {
        OnceMemory memory = Memory();
        _ticks += 10;
        RpcOnceId id = Id();
        Execute(memory, id, user: 1);
        Assert.NotNull(Enter(memory, id, 2, out bool isNew, out _));
        Assert.True(isNew);
        Assert.NotNull(Enter(memory, id, null, out isNew, out _));
        Assert.True(isNew);
    }

    [Fact]
    public void WhoHasNotBegunLeavesNothingAndWhoWaitsForItIsToldToComeAgain()
    {
        OnceMemory memory = Memory();
        _ticks += 10;
        RpcOnceId id = Id();
        OnceEntry entry = Enter(memory, id, 1, out _, out _)!;
        var waiting = new Waiting();
        Assert.Null(memory.Join(entry, waiting));
        Assert.True(memory.TryAbandon(entry));
        Assert.Equal(RpcOnceRefusal.Interrupted, Assert.Single(waiting.Answers).Refusal);
        Assert.False(memory.TryStart(entry, waiting));
        Assert.NotNull(Enter(memory, id, 1, out bool isNew, out _));
        Assert.True(isNew);
    }

    [Fact]
    public void WhoWaitsNoMoreIsNotAnswered()
    {
        OnceMemory memory = Memory();
        _ticks += 10;
        OnceEntry entry = Enter(memory, Id(), 1, out _, out _)!;
        Assert.True(memory.TryStart(entry, new Waiting()));
        var gone = new Waiting();
        memory.Join(entry, gone);
        Assert.True(memory.TryPart(entry, gone));
        Assert.False(memory.TryPart(entry, gone));
        Assert.Empty(entry.Joined!);
        var stays = new Waiting();
        memory.Join(entry, stays);
        memory.End(entry, OnceOutcome.OfResponse([]));
        Assert.False(memory.TryPart(entry, stays));
        Assert.Empty(gone.Answers);
        Assert.Single(stays.Answers);
    }

    [Fact]
    public void WhoRunsIsNotAbandonedNorForgotten()
    {
        OnceMemory memory = Memory(once => once.MaxOutcomes = 1);
        _ticks += 10;
        RpcOnceId id = Id();
        OnceEntry entry = Enter(memory, id, 1, out _, out _)!;
        Assert.True(memory.TryStart(entry, new Waiting()));
        Assert.False(memory.TryAbandon(entry));
        Assert.True(memory.HasRunning);
        _ticks += 10;
        _clock += TimeSpan.FromDays(1);
        Assert.Null(Enter(memory, Id(), 1, out _, out RpcOnceRefusal refusal));
        Assert.Equal(RpcOnceRefusal.Full, refusal);
        Assert.Same(entry, Enter(memory, id, 1, out bool isNew, out _));
        Assert.False(isNew);
        var waiting = new Waiting();
        memory.Join(entry, waiting);
        memory.End(entry, OnceOutcome.OfResponse(new byte[] { 7 }));
        Assert.Equal(7, Assert.Single(waiting.Answers).Body.Span[0]);
        Assert.False(memory.HasRunning);
    }

    [Fact]
    public void AClockThatIsAheadIsToleratedAsFarAsIsSaid()
    {
        OnceMemory memory = Memory(once => once.MaxClockAhead = TimeSpan.FromSeconds(1));
        Assert.Null(Enter(memory, At(_ticks + TimeSpan.TicksPerSecond), 1, out _, out RpcOnceRefusal refusal));
        Assert.Equal(RpcOnceRefusal.Forgotten, refusal); // it may be from before the start
        Assert.Null(Enter(memory, At(_ticks + TimeSpan.TicksPerSecond + 1), 1, out _, out refusal));
        Assert.Equal(RpcOnceRefusal.Early, refusal);
        _ticks += 1;
        Assert.NotNull(Enter(memory, At(_ticks + TimeSpan.TicksPerSecond), 1, out _, out _));
    }

    /// <summary>The clocks of clients are not further ahead because a server was started again.</summary>
    [Fact]
    public void RestartsDoNotAddUpHowFarAClockMayBeAhead()
    {
        var store = new Kept(_ticks);
        for (int start = 0; start < 5; start++)
            Memory(once => (once.Store, once.MaxOutcomes, once.MaxClockAhead) = (store, 1, TimeSpan.FromHours(1)));
        Assert.Equal(5, store.Forgets);
        Assert.Equal(_ticks, store.ForgottenTo);
    }

    [Fact]
    public void OptionsAreChecked()
    {
        foreach (Action<RpcOnceOptions> wrong in new Action<RpcOnceOptions>[]
        {
            static once => once.KeepFor = TimeSpan.Zero, static once => once.MaxOutcomes = 0, static once => once.MaxOutcomeBytes = -1,
            static once => once.MaxBytes = 1 << 20, static once => once.MaxClockAhead = TimeSpan.FromTicks(-1), static once => once.MaxClockAhead = TimeSpan.FromDays(2),
        })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => new OnceTests.OnceServer(wrong));
        }
    }

    private static RpcOnceId At(long ticks) => OnceTests.At(new DateTime(ticks, DateTimeKind.Utc));

    private static OnceEntry? Enter(OnceMemory memory, RpcOnceId id, uint? user, out bool isNew, out RpcOnceRefusal refusal)
        => memory.Enter(new OnceKey(id, user), new OnceKey(id, user).With(OnceServiceRpc.Do, "protobuf", default), out isNew, out refusal);

    private static void Execute(OnceMemory memory, RpcOnceId id, uint? user, byte[]? response = null)
    {
        OnceEntry entry = Enter(memory, id, user, out bool isNew, out _)!;
        Assert.True(isNew);
        Assert.True(memory.TryStart(entry, new Waiting()));
        memory.End(entry, OnceOutcome.OfResponse(response ?? []));
    }

    private RpcOnceId Id() => At(_ticks);

    private OnceMemory Memory(Action<RpcOnceOptions>? set = null)
    {
        var options = new RpcOnceOptions();
        set?.Invoke(options);
        return new OnceMemory(options, () => _ticks, () => _clock);
    }

    private sealed class Waiting : IOnceCall
    {
        public List<OnceOutcome> Answers { get; } = [];

        public void Cancel()
        {
        }

        public void Answer(OnceOutcome outcome) => Answers.Add(outcome);
    }

    /// <summary>Has two calls, and is told to forget one.</summary>
    private sealed class Kept(long ticks) : IOnceStore
    {
        public long ForgottenTo { get; private set; } = ticks;

        public int Forgets { get; private set; }

        public OnceStoreContents Load() => new(new DateTime(ForgottenTo, DateTimeKind.Utc), [Call(1000), Call(2000)]);

        public void Begin(ReadOnlyMemory<byte> call)
        {
        }

        public void End(ReadOnlyMemory<byte> call, ReadOnlyMemory<byte> outcome)
        {
        }

        public void Forget(IReadOnlyList<ReadOnlyMemory<byte>> calls, DateTime forgottenTo)
        {
            Forgets++;
            ForgottenTo = Math.Max(ForgottenTo, forgottenTo.Ticks);
        }

        private static KeyValuePair<ReadOnlyMemory<byte>, ReadOnlyMemory<byte>> Call(long at)
            => new(new OnceKey(At(at), 1).With(OnceServiceRpc.Do, "protobuf", default), new byte[] { 0, 0, 7 });
    }
}
