using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Matrix.Echoes;

namespace Ipc.Matrix;

/// <summary>The server's side of echo.proto.</summary>
internal sealed class EchoService : Echo.EchoBase
{
    public override Task<Parcel> Unary(Parcel request, ServerCallContext context) => Task.FromResult(request);
}
