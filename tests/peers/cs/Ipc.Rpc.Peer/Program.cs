using System;
using System.Threading;
using Ipc;
using Ipc.Rpc;
using Ipc.Rpc.Peer;
using Ipc.Rpc.Peer.Interop;

// The other process of the tests. Verbs:
//   serve NAME             serves until it is killed or its input ends
//   tests NAME             the same with the contract of the tests between the languages
//   call-tests NAME COUNT  makes COUNT calls of that contract, and takes a stream of COUNT items; all checked
//                          (a name of the machine is everybody's, here and for "tests": tests/users.sh has them be two users)
//   storm NAME             a client of that contract: calls of every shape from four threads, until it is killed
//   restart-serve NAME FILE [slow], restart-call NAME  see Restart.cs
//   once NAME STORE LOG [WHERE]  see Once.cs
//   hold NAME GATE         connects, starts a call that waits at GATE and a stream, and stays until it is killed
//   call NAME COUNT        makes COUNT calls and checks the answers
// A line "ready" says that it is under way. Exit code 0: everything was as it should be.

if (args.Length < 2)
{
    Console.Error.WriteLine("serve NAME | tests NAME | call-tests NAME COUNT | storm NAME | hold NAME GATE | call NAME COUNT");
    return 2;
}

switch (args[0])
{
    case "serve":
        {
            using RpcServer server = RpcServer.Start(args[1], TestServiceRpc.Service(new TestService()), new Shapes().Service());
            Console.WriteLine("ready");
            Console.In.ReadToEnd();
            return 0;
        }

    case "tests":
        {
            using RpcServer server = RpcServer.Start(args[1], new RpcServerOptions { Access = AccessOf(args[1]) }, TestsRpc.Service(new ManagedTests()));
            Console.WriteLine("ready");
            Console.In.ReadToEnd();
            return 0;
        }

    case "call-tests":
        {
            using RpcClient client = RpcClient.Connect(args[1], new RpcClientOptions { Access = AccessOf(args[1]) });
            return await Storm.CallAsync(TestsRpc.Client(client), int.Parse(args[2]));
        }

    case "storm":
        return await Storm.RunAsync(args[1]);

    case "restart-serve":
        return await Restart.ServeAsync(args[1], args[2], how: args.Length > 3 ? args[3] : "");

    case "restart-call":
        return await Restart.CallAsync(args[1]);

    case "once":
        return Once.Serve(args[1], args[2], args[3], args.Length > 4 ? args[4] : "nowhere");

    case "hold":
        {
            using RpcClient client = RpcClient.Connect(args[1]);
            ITestService service = TestServiceRpc.Client(client);
            _ = service.WaitAsync(args[2]).AsTask();
            await using var stream = service.Count(0, int.MaxValue).GetAsyncEnumerator();
            bool moved = await stream.MoveNextAsync();
            Console.WriteLine(moved ? "ready" : "the stream was empty");
            Thread.Sleep(Timeout.Infinite);
            return 1;
        }

    case "call":
        {
            using RpcClient client = RpcClient.Connect(args[1]);
            ITestService service = TestServiceRpc.Client(client);
            Console.WriteLine("ready");
            for (int i = 0; i < int.Parse(args[2]); i++)
            {
                if (service.Add(i, 1) != i + 1)
                    return 1;
            }

            return 0;
        }

    default:
        Console.Error.WriteLine("unknown verb " + args[0]);
        return 2;
}

static Access AccessOf(string name) => name.StartsWith("machine/", StringComparison.Ordinal) ? Access.Everybody : Access.User;
