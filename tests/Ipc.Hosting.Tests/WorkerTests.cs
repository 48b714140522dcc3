using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Xunit;

namespace Ipc.Hosting.Tests;

/// <summary>Workers of queues and topics: what is handled, what comes again, what is given up, and how they stop.</summary>
public sealed class WorkerTests : HostTest
{
    [Fact]
    public async Task WhatIsSentIsHandledInOrderAndReleased()
    {
        using IHost host = await Working();
        Till till = host.Services.GetRequiredService<Till>();
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        for (int i = 1; i <= 20; i++)
            await sender.SendAsync(new Payment("Ada", i));
        await Eventually(() => till.Taken.Count == 20);
        Assert.Equal(Enumerable.Range(1, 20), till.Taken.Select(static t => t.Payment.Amount));
        Assert.All(till.Taken, static t => Assert.Equal(("payments", 1, false), (t.Delivery.Queue, t.Delivery.Attempt, t.Delivery.Redelivered)));
        Assert.Equal(20, till.Handlers.Distinct().Count()); // a scope each
        await Eventually(() => sender.Queue.GetInfo().Depth == 0);
        IpcWorker worker = host.Services.GetRequiredKeyedService<IpcWorker>("payments");
        await Eventually(() => worker.Handled == 20); // which it is behind its handler
        Assert.Equal((IpcWorkerState.Working, 20L, 0L), (worker.State, worker.Handled, worker.Failed));
        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(IpcWorkerState.Stopped, worker.State);
    }

    [Fact]
    public async Task AMessageComesAgainAfterAThrowAndThenTheNextOne()
    {
        using IHost host = await Working(till => till.Does = static (payment, attempt, _) => payment.Amount == 1 && attempt < 3 ? throw new InvalidOperationException("no change") : Task.CompletedTask);
        Till till = host.Services.GetRequiredService<Till>();
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        await sender.SendAsync(new Payment("Ada", 1));
        await sender.SendAsync(new Payment("Ada", 2));
        await Eventually(() => till.Taken.Count == 2);
        Assert.Equal([(1, 3), (2, 1)], till.Taken.Select(static t => (t.Payment.Amount, t.Delivery.Attempt)));
        Assert.Equal(2, Logged.Of(17).Length);
        Assert.Contains("attempt 1 of 5", Logged.Of(17)[0].Text, StringComparison.Ordinal);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task APoisonousMessageIsGivenUpAfterSoManyAttempts(bool kept)
    {
        using IHost host = await Working(
            static till => till.Does = static (payment, _, _) => payment.Amount == 13 ? throw new InvalidOperationException("unlucky") : Task.CompletedTask,
            options =>
            {
                options.MaxAttempts = 3;
                options.PoisonQueue = kept ? "payments.poison" : null;
            });
        Till till = host.Services.GetRequiredService<Till>();
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        await sender.SendAsync(new Payment("Ada", 13));
        await sender.SendAsync(new Payment("Ada", 14));
        await Eventually(() => till.Taken.Count == 1);
        Assert.Equal(14, till.Taken.First().Payment.Amount);
        IpcWorker worker = host.Services.GetRequiredKeyedService<IpcWorker>("payments");
        await Eventually(() => worker.Handled == 1); // which it is behind its handler
        Assert.Equal((1L, 3L, 1L), (worker.Handled, worker.Failed, worker.Poisoned));
        Assert.Contains("after 3 attempts, and " + (kept ? "sent to payments.poison" : "dropped"), Assert.Single(Logged.Of(18)).Text, StringComparison.Ordinal);
        Assert.Contains(Logged.Exceptions, static e => e.Message == "unlucky");
        if (kept)
        {
            using SharedQueue poison = SharedQueue.Open("payments.poison");
            using QueueMessage message = poison.Receive(Watchdog);
            Assert.Equal(13, BankRpc.Codecs.Payment.Decode(message.Payload).Amount);
        }

        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task WhatCannotBeReadIsGivenUpAtOnce()
    {
        using IHost host = await Working();
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        sender.Queue.Send(new byte[] { 0xff, 0xff });
        await Eventually(() => Logged.Of(18).Length == 1);
        Assert.Contains("after 0 attempts", Logged.Of(18)[0].Text, StringComparison.Ordinal);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task AStoppingHostWaitsForTheMessageInHand()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var mayGoOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using IHost host = await Working(till => till.Does = (_, _, _) =>
        {
            entered.TrySetResult();
            return mayGoOn.Task;
        });
        Till till = host.Services.GetRequiredService<Till>();
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        await sender.SendAsync(new Payment("Ada", 1));
        await sender.SendAsync(new Payment("Ada", 2));
        await entered.Task.WaitAsync(Watchdog);
        Task stopping = host.StopAsync();
        IpcWorker worker = host.Services.GetRequiredKeyedService<IpcWorker>("payments");
        await Eventually(() => worker.State == IpcWorkerState.Stopping);
        Assert.False(stopping.IsCompleted, "stopped with a message in hand");
        mayGoOn.SetResult();
        await stopping.WaitAsync(Watchdog);
        Assert.Equal(1, Assert.Single(till.Taken).Payment.Amount); // the second one was not taken any more
        Assert.Equal(1, sender.Queue.GetInfo().Depth);
        sender.Queue.Receive(Watchdog).Dispose();
    }

    /// <summary>A handler that does not end is cut off, and its message is there for the next one.</summary>
    [Fact]
    public async Task AMessageThatWasNotHandledInTimeComesAgain()
    {
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using IHost host = await Working(
            till => till.Does = (_, _, cancel) =>
            {
                entered.TrySetResult();
                return Task.Delay(Timeout.Infinite, cancel);
            },
            static options => options.DrainTimeout = TimeSpan.Zero);
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        await sender.SendAsync(new Payment("Ada", 7));
        await entered.Task.WaitAsync(Watchdog);
        await host.StopAsync().WaitAsync(Watchdog);
        using QueueMessage again = sender.Queue.Receive(Watchdog);
        Assert.True(again.Redelivered);
        Assert.Equal(7, BankRpc.Codecs.Payment.Decode(again.Payload).Amount);
    }

    [Fact]
    public async Task SeveralMessagesAreHandledAtOnceIfAllowed()
    {
        using var together = new Barrier(3);
        using IHost host = await Working(
            till => till.Does = (_, _, _) => Task.Run(() => Assert.True(together.SignalAndWait(Watchdog)), CancellationToken.None),
            static options => options.Concurrency = 3);
        Till till = host.Services.GetRequiredService<Till>();
        QueueSender<Payment> sender = host.Services.GetRequiredService<QueueSender<Payment>>();
        for (int i = 0; i < 3; i++)
            await sender.SendAsync(new Payment("Ada", i));
        await Eventually(() => till.Taken.Count == 3);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task ATopicsConsumerReadsAllInOrderAndGoesOnAfterAThrow()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton(new Till { Does = static (payment, _, _) => payment.Amount == 2 ? throw new InvalidOperationException("two") : Task.CompletedTask });
        builder.Services.AddTopicConsumer<Payment, PaymentHandler>("payments");
        builder.Services.AddTopicPublisher<Payment>("payments");
        using IHost host = await Started(builder);
        Till till = host.Services.GetRequiredService<Till>();
        TopicPublisher<Payment> publisher = host.Services.GetRequiredService<TopicPublisher<Payment>>();
        for (int i = 1; i <= 3; i++)
            await publisher.PublishAsync(new Payment("Ada", i), key: (ulong)i);
        await Eventually(() => till.Read.Count == 2);
        Assert.Equal([1UL, 3UL], till.Read.Select(static d => d.Key));
        Assert.Contains("left out", Assert.Single(Logged.Of(18)).Text, StringComparison.Ordinal);
        await host.StopAsync().WaitAsync(Watchdog);
    }

    [Fact]
    public async Task HealthTellsWhichIsBad()
    {
        HostApplicationBuilder builder = Builder();
        bool fails = true;
        builder.Services.AddSingleton(new Till { Does = (_, _, _) => Volatile.Read(ref fails) ? throw new InvalidOperationException("no change") : Task.CompletedTask });
        builder.Services.AddQueueWorker<Payment, PaymentHandler>("payments", static options =>
        {
            options.MaxAttempts = int.MaxValue;
            options.FirstPause = options.LongestPause = TimeSpan.FromMilliseconds(1);
        });
        builder.Services.AddQueueSender<Payment>("payments");
        builder.Services.AddIpcServer("greeter").AddService<IGreeter, Greeter>();
        builder.Services.AddIpcClient<IGreeter>("nobody");
        builder.Services.AddHealthChecks().Add(IpcHealthChecks.Server("greeter")).Add(IpcHealthChecks.Client("nobody")).Add(IpcHealthChecks.Worker("payments"));
        using IHost host = await Started(builder);
        HealthCheckService health = host.Services.GetRequiredService<HealthCheckService>();
        await host.Services.GetRequiredService<QueueSender<Payment>>().SendAsync(new Payment("Ada", 1));
        await Eventually(() => Logged.Of(17).Length > 0);
        HealthReport report = await health.CheckHealthAsync().WaitAsync(Watchdog);
        Assert.Equal(
            (HealthStatus.Healthy, HealthStatus.Unhealthy, HealthStatus.Degraded),
            (report.Entries["ipc-server:greeter"].Status, report.Entries["ipc-client:nobody"].Status, report.Entries["ipc-worker:payments"].Status));
        Assert.Contains("no change", report.Entries["ipc-worker:payments"].Description, StringComparison.Ordinal);

        Volatile.Write(ref fails, false);
        IpcWorker worker = host.Services.GetRequiredKeyedService<IpcWorker>("payments");
        await Eventually(() => worker.Handled == 1);
        report = await health.CheckHealthAsync().WaitAsync(Watchdog);
        Assert.Equal(HealthStatus.Healthy, report.Entries["ipc-worker:payments"].Status);
        Assert.Equal(1L, report.Entries["ipc-worker:payments"].Data["handled"]);
        await host.StopAsync().WaitAsync(Watchdog);
        Assert.Equal(HealthStatus.Unhealthy, (await health.CheckHealthAsync().WaitAsync(Watchdog)).Entries["ipc-worker:payments"].Status);
    }

    [Fact]
    public async Task OptionsThatMeanNothingKeepTheHostFromStarting()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddSingleton<Till>();
        builder.Services.AddQueueWorker<Payment, PaymentHandler>("payments", static options =>
        {
            options.MaxAttempts = 0;
            options.FirstPause = TimeSpan.FromMinutes(1);
            options.Concurrency = 0;
            options.Queue.SingleThreaded = true;
            options.PoisonQueue = "payments";
        });
        OptionsValidationException wrong = await Assert.ThrowsAsync<OptionsValidationException>(() => Started(builder));
        Assert.Equal(["MaxAttempts", "FirstPause", "Concurrency", "Queue.SingleThreaded", "PoisonQueue"], wrong.Failures.Select(static text => text.Split(' ')[0]));
        Assert.Throws<ArgumentException>(() => builder.Services.AddTopicConsumer<Payment, PaymentHandler>("payments"));
    }

    [Fact]
    public async Task AMessageOfNoContractIsRefusedWhenTheHostStarts()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddQueueWorker<string, TextHandler>("texts");
        Assert.Contains("Pass the codec", (await Assert.ThrowsAsync<InvalidOperationException>(() => Started(builder))).Message, StringComparison.Ordinal);
    }

    private async Task<IHost> Working(Action<Till>? prepare = null, Action<QueueWorkerOptions>? configure = null)
    {
        HostApplicationBuilder builder = Builder();
        var till = new Till();
        prepare?.Invoke(till);
        builder.Services.AddSingleton(till);
        builder.Services.AddQueueWorker<Payment, PaymentHandler>("payments", options =>
        {
            options.FirstPause = options.LongestPause = TimeSpan.FromMilliseconds(1);
            configure?.Invoke(options);
        });
        builder.Services.AddQueueSender<Payment>("payments");
        return await Started(builder);
    }

    private sealed class TextHandler : IQueueHandler<string>
    {
        public ValueTask HandleAsync(string message, QueueDelivery delivery, CancellationToken cancellationToken) => default;
    }
}
