using System.Threading;
using System.Threading.Tasks;
using Ipc.Hosting;

namespace Snippets;

internal sealed class ChangeHandler : ITopicHandler<Change>
{
    public ValueTask HandleAsync(Change message, TopicDelivery delivery, CancellationToken cancellationToken) => default;
}
