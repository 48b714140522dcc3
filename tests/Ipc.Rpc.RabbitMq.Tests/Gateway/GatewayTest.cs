using System;
using System.IO;
using Ipc.Testing.Drive;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A test with a name of its own on this machine for what runs here, and another for what is called from elsewhere.</summary>
public abstract class GatewayTest(BrokerProcess broker) : RabbitMqTest(broker)
{
    protected string Here => Service + "-here";

    protected string There => Service + "-there";

    protected RabbitMqExportOptions ExportOptions { get; } = new();

    protected RabbitMqImportOptions ImportOptions { get; } = new();

    /// <summary>A deadline that only a hang reaches.</summary>
    protected static Deadline Hang => Deadline.After(Watchdog.Patience);

    /// <summary>Options whose pauses are short.</summary>
    protected RabbitMqExport Export(string? name = null)
    {
        ExportOptions.Broker = ServerOptions;
        return Mine(RabbitMqExport.Start(name ?? Here, Address, ExportOptions));
    }

    protected RabbitMqImport Import(string? name = null)
    {
        ImportOptions.Broker = ClientOptions;
        return Mine(RabbitMqImport.Start(name ?? There, Address, ImportOptions));
    }

    protected static void Serves(RabbitMqExport export) => Says(() => export.IsServing, () => export.Trouble);

    protected static void Serves(RabbitMqImport import) => Says(() => import.IsServing, () => import.Trouble);

    protected static void Says(Func<bool> condition, Func<string?> trouble)
    {
        try
        {
            Watchdog.Until(condition, "what a gateway says of itself");
        }
        catch (TimeoutException e)
        {
            throw new TimeoutException($"{e.Message}: {trouble() ?? "it serves"}", e);
        }
    }

    /// <summary>The programs of the tests between the languages; their contract is <see cref="Peer.Interop.ITests"/>.</summary>
    protected static OtherProcess Cpp(bool isServer, params string[] words) => new(isServer, null, [PeerPrograms.Native("tests/native/rpc_peer"), .. words]);

    protected static OtherProcess Server(bool isCpp, string name) =>
        (isCpp ? Cpp(true, "serve", name) : new OtherProcess(true, null, PeerPrograms.Dotnet, Path.Combine(AppContext.BaseDirectory, "Ipc.Rpc.Peer.dll"), "tests", name)).WaitUntilReady();
}
