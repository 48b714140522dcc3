using System;
using Ipc.Rpc;

namespace Upgrade;

/// <summary>Asks without a pause, through all versions: it notices them only by what they say of themselves.</summary>
internal static class Client
{
    private const int CallsOfTheLast = 1000;

    public static int Run(string name, int last)
    {
        // snippet: client
        using RpcClient client = RpcClient.Connect(name);
        ISquares squares = SquaresRpc.Client(client);
        int version = 0, ofTheLast = 0;
        long calls = 0;
        for (; ofTheLast < CallsOfTheLast; calls++)
        {
            Answer answer = squares.Square(new Question(calls)); // throws when it fails, and none does
            // end-snippet
            if (answer.Square != calls * calls || answer.Version < version)
            {
                Console.WriteLine($"the square of {calls} is {answer.Square}, says version {answer.Version} behind {version}");
                return 1;
            }

            if (answer.Version != version)
                Console.WriteLine($"version {version = answer.Version} answers");
            if (version == last)
                ofTheLast++;
        }

        Console.WriteLine($"C#: {calls:N0} calls, none failed");
        return 0;
    }
}
