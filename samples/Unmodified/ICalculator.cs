using System.Threading.Tasks;
using PolyType;
using StreamJsonRpc;

namespace Unmodified;

/// <summary>What StreamJsonRpc carries.</summary>
[JsonRpcContract]
[GenerateShape(IncludeMethods = MethodShapeFlags.PublicInstance)]
public partial interface ICalculator
{
    Task<int> AddAsync(int left, int right);
}
