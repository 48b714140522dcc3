using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Ipc.Hosting.Tests;

[IpcService("hosting.test.v1")]
public interface IGreeter
{
    string Greet(string name);

    ValueTask<string> Wait(string name, CancellationToken cancel = default);
}
