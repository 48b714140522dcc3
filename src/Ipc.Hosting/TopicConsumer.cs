using System;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Ipc.Hosting;

/// <summary>Reads a topic and has each message handled in a scope of its own, one after another.</summary>
internal sealed class TopicConsumer<TMessage, THandler> : IpcWorker
    where THandler : class, ITopicHandler<TMessage>
{
    private readonly IServiceScopeFactory _scopes;
    private readonly TopicConsumerOptions _options;
    private readonly MessageCodec<TMessage>? _codec;
    private MessageDecoder<TMessage>? _decoder;
    private TopicReader? _reader;

    public TopicConsumer(string key, TopicConsumerOptions options, MessageCodec<TMessage>? codec, IServiceScopeFactory scopes, ILogger logger)
        : base(key, options, logger)
    {
        _scopes = scopes;
        _options = options;
        _codec = codec;
    }

    private protected override void Open(CancellationToken cancellationToken)
    {
        _decoder = new MessageDecoder<TMessage>(_codec);
        _reader = TopicReader.Open(_options.Name, _options.Topic, _options.Reader, cancellationToken);
    }

    private protected override void Close() => _reader?.Dispose();

    private protected override async Task TakeAsync()
    {
        await foreach (TopicItem item in _reader!.ReadAllAsync(Taking).ConfigureAwait(false))
        {
            if (item.Lost > 0)
                IpcLog.Missed(Logger, Key, item.Lost, Name);
            await HandleAsync(item).ConfigureAwait(false);
        }
    }

    private async Task HandleAsync(TopicItem item)
    {
        Exception? failure;
        int attempts = 0;
        try
        {
            TMessage decoded = _decoder!.Decode(item.Payload.Span);
            attempts = _options.MaxAttempts;
            failure = await AttemptAsync(1, attempt => HandleAsync(decoded, item, attempt)).ConfigureAwait(false);
        }
        catch (ProtoException e) when (attempts == 0)
        {
            failure = e;
        }

        if (failure is not null)
            GaveUp(item.Payload.Length, attempts, "left out", failure);
    }

    private async Task HandleAsync(TMessage decoded, TopicItem item, int attempt)
    {
        AsyncServiceScope scope = _scopes.CreateAsyncScope();
        await using (scope.ConfigureAwait(false))
        {
            THandler handler = scope.ServiceProvider.GetRequiredService<THandler>();
            await handler.HandleAsync(decoded, new TopicDelivery(Name, in item, attempt), Handling).ConfigureAwait(false);
        }
    }
}
