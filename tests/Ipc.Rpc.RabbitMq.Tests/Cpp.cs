using System.IO;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>The program that is in C++ what these tests are in C#: <c>tests/peers/cpp/amqp_peer.cpp</c> says what its verbs do.</summary>
internal static class Cpp
{
    private static string Program => PeerPrograms.Native("tests/native/amqp_peer");

    public static void Require() => Assert.SkipUnless(File.Exists(Program), "there was no rabbitmq-c (Debian: librabbitmq-dev) when the C++ programs were built");

    public static OtherProcess Server(string address, params string[] words) => OtherProcess.Server([Program, "serve", address, .. words]);

    /// <summary>A server that has still to say that it is ready.</summary>
    public static OtherProcess Serves(string address, params string[] words) => new(true, null, [Program, "serve", address, .. words]);

    public static OtherProcess Client(params string[] words) => new(false, null, [Program, .. words]);

    /// <summary>To its end, which must be a good one: what it said.</summary>
    public static string Run(params string[] words)
    {
        using OtherProcess client = Client(words);
        string said = client.Rest();
        Assert.True(client.WaitForExit() == 0, string.Join(' ', words) + ": " + said);
        return said.TrimEnd();
    }
}
