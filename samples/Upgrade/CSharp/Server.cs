using System;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Upgrade;

/// <summary>One version of the service. It takes the name from the one before, and serves until the next one takes it.</summary>
internal sealed class Server(int version) : ISquares
{
    public static async Task<int> Run(string name, int version)
    {
        // snippet: server
        using RpcServer server = RpcServer.Start(
            name, new RpcServerOptions { TakeOver = true }, SquaresRpc.Service(new Server(version)));
        Console.WriteLine($"version {version}, in C#, serves");
        await server.Completion; // another one has taken the name, and what was asked of this one is answered
        // end-snippet
        Console.WriteLine($"version {version} is followed, and ends");
        return server.IsFollowed ? 0 : 1;
    }

    public Answer Square(Question question) => new(question.Number * question.Number, version);
}
