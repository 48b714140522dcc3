using Ipc.Rpc;

namespace IpcService._1;

internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        GreetRequest request = new(args.Length > 0 ? args[0] : Environment.UserName);
        try
        {
            // Waits up to 5 seconds for the server. One client is enough for a whole program.
            using RpcClient client = await RpcClient.ConnectAsync(GreeterAddress.Name);
            IGreeter greeter = client.For<IGreeter>();

            Greeting greeting = await greeter.GreetAsync(request);
            Console.WriteLine($"{greeting.Number}: {greeting.Text}");

            int left = 3;
            await foreach (Greeting next in greeter.Watch(request))
            {
                Console.WriteLine($"{next.Number}: {next.Text}");
                if (--left == 0)
                    break; // ends the stream, on the server as well
            }

            return 0;
        }
        catch (RpcCallException failure) when (failure.Status == RpcStatus.Unavailable)
        {
            Console.Error.WriteLine($"{failure.Message}\nStart the server first: dotnet run --project Server");
            return 1;
        }
    }
}
