using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>Takes messages out of a queue and has each handled in a scope of its own.</summary>
/// <remarks>
/// A message is held from its receipt until its handler has succeeded, or it was given up. Whoever ends before that, however, leaves it to the next receiver. So it is handled once or
/// more often: a worker that dies between the last word of a handler and the release has it handled again.
/// </remarks>
#pragma warning disable CA2213 // as in IpcWorker
internal sealed class QueueWorker<TMessage, THandler> : IpcWorker
#pragma warning restore CA2213
    where THandler : class, IQueueHandler<TMessage>
{
    private readonly IServiceScopeFactory _scopes;
    private readonly QueueWorkerOptions _options;
    private readonly MessageCodec<TMessage>? _codec;
    private readonly CancellationTokenSource _broken = new();
    private MessageDecoder<TMessage>? _decoder;
    private SharedQueue? _queue;
    private SharedQueue? _poison;
    private Exception? _failure;

    public QueueWorker(string key, QueueWorkerOptions options, MessageCodec<TMessage>? codec, IServiceScopeFactory scopes, ILogger logger)
        : base(key, options, logger)
    {
        _scopes = scopes;
        _options = options;
        _codec = codec;
    }

    private protected override void Open(CancellationToken cancellationToken)
    {
        _decoder = new MessageDecoder<TMessage>(_codec);
        _queue = SharedQueue.Open(_options.Name, _options.Queue, cancellationToken);
        if (_options.PoisonQueue is { Length: > 0 } poison)
            _poison = SharedQueue.Open(poison, _options.Queue, cancellationToken);
    }

    private protected override void Close()
    {
        _queue?.Dispose();
        _poison?.Dispose();
    }

    private protected override async Task TakeAsync()
    {
        using var places = new SemaphoreSlim(_options.Concurrency);
        using var taking = CancellationTokenSource.CreateLinkedTokenSource(Taking, _broken.Token);
        try
        {
            while (true)
            {
                await places.WaitAsync(taking.Token).ConfigureAwait(false);
                QueueMessage message;
                try
                {
                    message = await _queue!.ReceiveAsync(taking.Token).ConfigureAwait(false);
                }
                catch
                {
                    places.Release();
                    throw;
                }

                if (_options.Concurrency == 1)
                    await HandleInPlaceAsync(message, places).ConfigureAwait(false);
                else
                    _ = Task.Run(() => HandleInPlaceAsync(message, places), CancellationToken.None);
            }
        }
        catch (OperationCanceledException) when (taking.IsCancellationRequested)
        {
            // As asked, or because of what is thrown below.
        }
        finally
        {
            for (int i = 0; i < _options.Concurrency; i++)
                await places.WaitAsync(CancellationToken.None).ConfigureAwait(false); // those in hand
        }

        if (Volatile.Read(ref _failure) is { } failure)
            throw new InvalidOperationException("A message of " + Name + " could not be given back: " + failure.Message, failure);
    }

    /// <summary>Throws nothing: what is wrong with the queue ends the worker.</summary>
    private async Task HandleInPlaceAsync(QueueMessage message, SemaphoreSlim places)
    {
        try
        {
            await HandleAsync(message).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (Taking.IsCancellationRequested)
        {
            IpcLog.LeftInHand(Logger, Key, Name); // it is not released: closing the queue gives it to others
        }
#pragma warning disable CA1031 // on a thread of the pool
        catch (Exception e)
#pragma warning restore CA1031
        {
            Interlocked.CompareExchange(ref _failure, e, null);
            _broken.Cancel();
        }

        places.Release();
    }

    private async Task HandleAsync(QueueMessage message)
    {
        int first = message.Redelivered ? 2 : 1;
        Exception? failure = TryDecode(message, out TMessage? decoded);
        int attempts = 0; // a message that cannot be read is not tried
        if (failure is null)
        {
            failure = await AttemptAsync(first, attempt => HandleAsync(decoded!, message, attempt)).ConfigureAwait(false);
            attempts = Math.Max(first, _options.MaxAttempts);
        }

        if (failure is not null)
            GaveUp(message.Payload.Length, attempts, await BuryAsync(message).ConfigureAwait(false), failure);
        message.Release();
    }

    private async Task HandleAsync(TMessage decoded, QueueMessage message, int attempt)
    {
        AsyncServiceScope scope = _scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            THandler handler = scope.ServiceProvider.GetRequiredService<THandler>();
            await handler.HandleAsync(decoded, new QueueDelivery(Name, message.Type, message.Redelivered, attempt), Handling).ConfigureAwait(false);
        }
    }

    private ProtoException? TryDecode(QueueMessage message, out TMessage? decoded)
    {
        try
        {
            decoded = _decoder!.Decode(message.Payload);
            return null;
        }
        catch (ProtoException e)
        {
            decoded = default;
            return e;
        }
    }

    /// <summary>Puts a message that was given up where the options say.</summary>
    /// <returns>What became of it, for the log.</returns>
    private async Task<string> BuryAsync(QueueMessage message)
    {
        if (_poison is null)
            return "dropped";

        string poison = _options.PoisonQueue!;
        try
        {
            while (!_poison.TrySend(message.Payload, message.Type))
            {
                IpcLog.PoisonQueueFull(Logger, poison, Key, Name);
                await Task.Delay(_options.LongestPause, Taking).ConfigureAwait(false);
            }

            return "sent to " + poison;
        }
        catch (IpcException e) when (e.Status == IpcStatus.TooLarge)
        {
            return "dropped, because " + poison + " cannot hold it";
        }
    }
}
