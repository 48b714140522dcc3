using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Snippets;

// snippet: queue
/// <summary>The place of a broker: each message goes to one of those who take, and comes again if that one has gone.</summary>
internal sealed class MemoryQueue
{
    public const string Peer = "a queue in memory";

    private readonly Channel<Message> _waiting = Channel.CreateUnbounded<Message>();

    public bool DeliversTwice { get; set; } // what a broker does now and then, always

    public void Send(Message message)
    {
        _waiting.Writer.TryWrite(message);
        if (DeliversTwice)
            GiveBack(message);
    }

    public void GiveBack(Message message) => _waiting.Writer.TryWrite(message with { IsRepeated = true });

    public async IAsyncEnumerable<Message> TakeAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (true)
        {
            Message message = await _waiting.Reader.ReadAsync(cancellationToken).ConfigureAwait(false); // ReadAllAsync goes on behind a stop, while there is something
            if (!message.Until.HasPassed && !message.Cancelled.IsCancellationRequested) // else its caller waits no more
                yield return message;
        }
    }
}
// end-snippet
