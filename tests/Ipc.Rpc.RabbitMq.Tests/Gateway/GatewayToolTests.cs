using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary><c>ipc gateway</c> as a process: what its file says, it does, also when that changes.</summary>
public sealed class GatewayToolTests : GatewayTest
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ipc-gateway-").FullName;

    public GatewayToolTests(BrokerProcess broker)
        : base(broker)
    {
    }

    private string File => Path.Combine(_folder, "gateway.json");

    private string StatusFile => Path.Combine(_folder, "status.json");

    [Fact]
    public async Task ItDoesWhatItsFileSaysAlsoWhenThatChanges()
    {
        try
        {
            using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one")));
            using TopicWriter writer = TopicWriter.Open(Here + "-topic");
            await System.IO.File.WriteAllTextAsync(Path.Combine(_folder, "password"), "guest\n", Cancel);
            string export = $"{{ \"name\": \"{Here}\", \"service\": \"{Service}\", \"methods\": [ \"farm.v1/*\" ] }}", import = $"{{ \"name\": \"{There}\", \"service\": \"{Service}\", \"callTimeoutSeconds\": 30 }}";
            Write($"\"exports\": [ {export} ] // no imports yet");
            using OtherProcess gateway = Tool(true, "gateway", File, "--status", StatusFile);
            Expect(gateway, $"export {Here} ({Service} at the broker): serving");
            IFarm direct = (await ConnectAsync()).For<IFarm>();
            Assert.Equal("one", await direct.DoAsync(1, Cancel));

            Write($"\"exports\": [ {export} ], \"imports\": [ {import} ]");
            Expect(gateway, $"import {There} ({Service} at the broker): serving");
            using RpcClient client = RpcClient.Connect(There, new RpcClientOptions { WaitForReady = true });
            IFarm farm = client.For<IFarm>();
            Assert.Equal("one", await farm.DoAsync(2, Cancel));

            Write($"\"exports\": [ {export} ], \"imports\": [ {import} ], \"importz\": []");
            Assert.Contains("importz", Expect(gateway, "configuration "), StringComparison.Ordinal);
            Assert.Equal("one", await farm.DoAsync(3, Cancel));

            // otherwise than before: the next import takes the name over
            Task calls = Task.Run(async () =>
            {
                for (int i = 0; i < 2000; i++)
                    await farm.DoAsync(i, Cancel);
            });
            Write($"\"exports\": [ {export} ], \"imports\": [ {import.Replace("30", "40", StringComparison.Ordinal)} ], \"topics\": [ {{ \"name\": \"{Here}-topic\", \"topic\": \"{Service}\", \"policy\": \"reliable\" }} ]");
            Expect(gateway, $"topic {Here}-topic ({Service} at the broker): serving");
            await calls.WaitAsync(Patience, Cancel);

            Watchdog.Until(() => Health() == 0, "all to be well");
            using (JsonDocument status = JsonDocument.Parse(await System.IO.File.ReadAllTextAsync(StatusFile, Cancel)))
            {
                JsonElement parts = status.RootElement.GetProperty("parts");
                Assert.Equal(3, parts.GetArrayLength());
                Assert.True(parts[0].GetProperty("requests").GetInt64() >= 3);
            }

            Write("\"exports\": [ null ]");
            Expect(gateway, "configuration ");
            Watchdog.Until(() => Health() == 1, "it to say that its file is not in effect");
            System.IO.File.Delete(Path.Combine(_folder, "password"));
            Write($"\"exports\": [ {export} ], \"imports\": [ {import} ]");
            Assert.Contains("password", Expect(gateway, "configuration "), StringComparison.Ordinal);
            await System.IO.File.WriteAllTextAsync(Path.Combine(_folder, "password"), "guest\n", Cancel);
            Expect(gateway, $"configuration {File}: read"); // without another change of it
            Watchdog.Until(() => Health() == 0, "all to be well again");

            server.Dispose();
            Watchdog.Until(() => Health() == 1, "it to say that something is not well");
            Assert.Equal(0, gateway.Terminate());
            Assert.False(System.IO.File.Exists(StatusFile));
        }
        finally
        {
            Directory.Delete(_folder, recursive: true);
        }
    }

    /// <summary>Calls that are under way end before the gateway does.</summary>
    [Fact]
    public async Task AnInterruptWaitsForWhatIsUnderWay()
    {
        try
        {
            using RpcServer server = RpcServer.Start(Here, FarmRpc.Service(new Farm("one") { Before = static cancel => Task.Delay(4000, cancel) }));
            await System.IO.File.WriteAllTextAsync(Path.Combine(_folder, "password"), "guest\n", Cancel);
            Write($"\"exports\": [ {{ \"name\": \"{Here}\", \"service\": \"{Service}\" }} ]");
            using OtherProcess gateway = Tool(true, "gateway", File, "--json");
            Expect(gateway, "{\"kind\":\"export\"");
            Task<string> call = (await ConnectAsync()).For<IFarm>().DoAsync(1, Cancel).AsTask();
            await Task.Delay(500, Cancel);
            Assert.Equal(0, gateway.Terminate());
            Assert.Equal("one", await call.WaitAsync(Patience, Cancel));
        }
        finally
        {
            Directory.Delete(_folder, recursive: true);
        }
    }

    private static OtherProcess Tool(bool isServer, params string[] words) => new(isServer, null, [PeerPrograms.Dotnet, Path.Combine(AppContext.BaseDirectory, "ipc.dll"), .. words]);

    private static string Expect(OtherProcess gateway, string begin)
    {
        List<string> said = [];
        for (int i = 0; i < 20; i++)
        {
            said.Add(gateway.NextLine());
            if (said[^1].StartsWith(begin, StringComparison.Ordinal))
                return said[^1];
        }

        throw new InvalidOperationException($"said no line that begins with \"{begin}\":\n{string.Join('\n', said)}");
    }

    private int Health()
    {
        using OtherProcess health = Tool(false, "gateway", "--health", StatusFile);
        health.Rest();
        return health.WaitForExit();
    }

    private void Write(string rest)
    {
        string next = File + ".next";
        System.IO.File.WriteAllText(next, $"{{ \"broker\": \"amqp://guest@127.0.0.1:{Broker.Port}/%2F\", \"passwordFile\": \"password\", {rest}\n}}");
        System.IO.File.Move(next, File, overwrite: true);
    }
}
