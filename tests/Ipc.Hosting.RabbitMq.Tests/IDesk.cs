using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Hosting.RabbitMq.Tests;

[IpcService("desk.test.v1")]
public interface IDesk
{
    /// <summary>Throws for "nobody", and refuses "thief".</summary>
    string Greet(string name);

    /// <summary>Ends when the test lets it.</summary>
    ValueTask<string> WaitAsync(string name, CancellationToken cancel = default);

    /// <summary>Throws for "nobody".</summary>
    [IpcOneWay]
    Task NoteAsync(string name, CancellationToken cancel = default);
}
