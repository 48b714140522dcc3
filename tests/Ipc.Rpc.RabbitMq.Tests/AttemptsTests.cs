using System;
using System.Linq;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>When an end that has lost its broker tries again, and for how long.</summary>
public sealed class AttemptsTests
{
    private static readonly RabbitMqClientOptions s_options = new() { FirstPause = TimeSpan.FromSeconds(1), LongestPause = TimeSpan.FromSeconds(5), ConnectTimeout = TimeSpan.FromSeconds(10) };

    private readonly Attempts _attempts = new(s_options);

    [Fact]
    public void WithoutAnybodyThereThePausesGrowToTheLongest() =>
        Assert.Equal([(1, 10), (2, 10), (4, 10), (5, 10), (5, 10)], Enumerable.Range(0, 5).Select(_ => Next(taken: false, took: 0)));

    [Fact]
    public void WhoIsTakenAndNotAnsweredWaitsLongerAndComesLater()
    {
        Assert.Equal([(1, 10), (10, 20), (20, 40), (40, 80), (80, 80), (80, 80)], Enumerable.Range(0, 6).Select(_ => Next(taken: true, took: 10)));
    }

    /// <summary>RabbitMQ itself ends what has not logged in after ten seconds, however long one would wait.</summary>
    [Fact]
    public void TheBrokersOwnTimeoutIsNoAnswer()
    {
        RabbitMqClientOptions options = s_options.Copy();
        options.ConnectTimeout = TimeSpan.FromSeconds(30);
        Attempts patient = new(options);
        Next(patient, taken: true, took: 10);
        Assert.Equal((30, 60), Next(patient, taken: true, took: 10));
    }

    [Fact]
    public void NothingGrowsBeyondTwoMinutes()
    {
        RabbitMqClientOptions options = s_options.Copy();
        options.ConnectTimeout = TimeSpan.FromSeconds(50);
        Attempts patient = new(options);
        Assert.Equal([(1, 50), (50, 100), (100, 120), (120, 120)], Enumerable.Range(0, 4).Select(_ => Next(patient, taken: true, took: 50)));
        options.ConnectTimeout = TimeSpan.FromSeconds(300);
        patient = new(options);
        Assert.Equal([(1, 300), (120, 300), (120, 300)], Enumerable.Range(0, 3).Select(_ => Next(patient, taken: true, took: 300)));
    }

    [Theory]
    [InlineData("answered")]
    [InlineData("closed at once")]
    [InlineData("opened")]
    [InlineData("lasted")]
    public void AnAnswerEndsIt(string how)
    {
        Next(taken: true, took: 10);
        Next(taken: true, took: 20);
        _attempts.NextPause(1);
        switch (how)
        {
            case "answered": // with a refusal, after a while
                _attempts.NodeFailed(TimeSpan.FromSeconds(30), TimeSpan.FromSeconds(40));
                _attempts.Failed(TimeSpan.FromSeconds(30), wasAnswered: true);
                break;
            case "closed at once":
                _attempts.NodeFailed(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(40));
                _attempts.Failed(TimeSpan.FromSeconds(1), wasAnswered: false);
                break;
            case "opened":
                _attempts.Answered();
                break;
            default:
                _attempts.BeginAnew();
                break;
        }

        Assert.Equal((how == "lasted" ? 1 : 5, 10), Next(taken: false, took: 0));
    }

    /// <summary>One of three nodes is swamped, and the two others are off: their refusals are no answer of the broker.</summary>
    [Fact]
    public void OneBusyNodeIsEnough()
    {
        _attempts.NextPause(1);
        _attempts.NodeFailed(TimeSpan.FromSeconds(10 / 3.0), TimeSpan.FromSeconds(10 / 3.0));
        _attempts.Failed(TimeSpan.FromSeconds(10 / 3.0), wasAnswered: false);
        Assert.Equal((10, 20), Next(taken: false, took: 0));
    }

    /// <summary>What closes at once on one node, and a machine that is off on another.</summary>
    [Fact]
    public void NobodyIsBusyWhereNobodyIs()
    {
        _attempts.NextPause(1);
        _attempts.NodeFailed(TimeSpan.Zero, TimeSpan.FromSeconds(5));
        _attempts.Failed(TimeSpan.FromSeconds(5), wasAnswered: false);
        Assert.Equal((2, 10), Next(taken: false, took: 0));
    }

    /// <summary>What is sent to a machine with too many of them is dropped there, too.</summary>
    [Fact]
    public void WhoIsNotEvenTakenLearnsNothing()
    {
        Next(taken: true, took: 10);
        Next(taken: true, took: 20);
        Assert.Equal((20, 40), Next(taken: false, took: 10));
        Assert.Equal((20, 40), Next(taken: true, took: 10));
    }

    [Fact]
    public void ThePauseIsHalfOfItToAllOfIt()
    {
        Assert.Equal(TimeSpan.FromSeconds(0.5), _attempts.NextPause(0));
        Assert.Equal(TimeSpan.FromSeconds(2), _attempts.NextPause(1));
    }

    private (int Pause, int Patience) Next(bool taken, double took) => Next(_attempts, taken, took);

    /// <summary>A pause, and an attempt that fails.</summary>
    private static (int Pause, int Patience) Next(Attempts attempts, bool taken, double took)
    {
        (int Pause, int Patience) next = ((int)attempts.NextPause(1).TotalSeconds, (int)attempts.Patience.TotalSeconds);
        if (taken)
            attempts.NodeFailed(TimeSpan.FromSeconds(took), attempts.Patience);
        attempts.Failed(TimeSpan.FromSeconds(took), wasAnswered: false);
        return next;
    }
}
