using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>What a server has, asked and answered in either language (docs/rpc-protocol.md section 8). The C++ client is <c>rpc_list.cpp</c>.</summary>
public sealed class ListTests
{
    private static readonly string[] _expected =
    [
        "tests.v1/Collect 2", "tests.v1/Count 1", "tests.v1/Echo 0", "tests.v1/Fail 0", "tests.v1/FailWith 0", "tests.v1/Labels 0", "tests.v1/Mirror 3", "tests.v1/Note 0 one-way",
        "tests.v1/Noted 0", "tests.v1/Pull 0", "tests.v1/Relay 0", "tests.v1/Remaining 0", "tests.v1/Sleep 0", "tests.v1/Steps 0",
    ];

    [Theory]
    [InlineData(Language.CSharp, Language.CSharp)]
    [InlineData(Language.CSharp, Language.Cpp)]
    [InlineData(Language.Cpp, Language.CSharp)]
    [InlineData(Language.Cpp, Language.Cpp)]
    public async Task AServerSaysTheSameInBothLanguages(Language client, Language server)
    {
        string name = Repository.NewName();
        using OtherProcess serving = Peer.Server(server, name);
        Assert.Equal(_expected, client == Language.CSharp ? await AskAsync(name) : Read(name));
    }

    private static async Task<IEnumerable<string>> AskAsync(string name)
    {
        using RpcClient client = RpcClient.Connect(name);
        IReadOnlyList<RpcMethodInfo> methods = await RpcReflection.ListAsync(client).AsTask().InTime();
        return methods.Select(static method =>
            $"{method.FullName} {(int)method.Kind}{(method.IsOneWay ? " one-way" : "")}{(method.IsOnce ? " once" : "")}{(method.IsIdempotent ? " idempotent" : "")}");
    }

    private static string[] Read(string name)
    {
        using OtherProcess client = Peer.List(name);
        string[] lines = [.. _expected.Select(_ => client.NextLine())];
        client.MustEndWell();
        return lines;
    }
}
