using System.Diagnostics;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>A C++ client in every shape of call, against servers of both languages: it checks, and tells by its exit code. What each verb does stands in <c>rpc_peer.cpp</c>.</summary>
public sealed class NativeClientTests
{
    [Theory]
    [InlineData(Language.CSharp, "call", "2000")]
    [InlineData(Language.CSharp, "long", "3000000")]
    [InlineData(Language.CSharp, "streams", "2000")]
    [InlineData(Language.CSharp, "extras")]
    [InlineData(Language.CSharp, "callbacks", "100")]
    [InlineData(Language.Cpp, "call", "2000")]
    [InlineData(Language.Cpp, "long", "3000000")]
    [InlineData(Language.Cpp, "streams", "2000")]
    [InlineData(Language.Cpp, "extras")]
    [InlineData(Language.Cpp, "callbacks", "100")]
    public void TheNativeClientFindsEverythingAsItShouldBe(Language language, string verb, params string[] rest)
    {
        // The C# server has spans only when somebody listens: then they continue the client's trace.
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Ipc.Rpc",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
        };
        ActivitySource.AddActivityListener(listener);
        using var server = new ServerUnderTest(language);
        using var client = Peer.Native([verb, server.Name, .. rest]);
        client.MustEndWell();
    }
}
