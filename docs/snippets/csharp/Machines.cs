using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Tasks;
using Ipc;
using Ipc.Tcp;

namespace Snippets;

internal static class Machines
{
    public static Task Run()
    {
        Talk();
        foreach (string server in new[] { "orders", "orders-there" }) // a conversation stays
        {
            if (!NamedConnection.Remove(server, "desk4"))
                throw new InvalidOperationException($"{server} has lost its conversation");
        }

        _ = NamedConnection.Remove(s_phones, "phone2");

        return Task.CompletedTask;
    }

    private static string s_phones = "";

    private static void Talk()
    {
        // snippet: entrance
        using TcpEntrance entrance = TcpEntrance.Open(new TcpEntranceOptions
        {
            Endpoint = new IPEndPoint(IPAddress.Loopback, 0), // IPAddress.Any, 5000: for other machines
            Allows = name => name is "quotes" or "orders",
        });
        // end-snippet

        string host = "127.0.0.1";
        int port = entrance.Endpoint.Port;
        // snippet: exit
        using TcpExit quotes = TcpExit.Open("quotes-there", $"tcp:{host}:{port}/quotes");      // calls, pipes, connections
        using TcpExit orders = TcpExit.OpenNamed("orders-there", $"tcp:{host}:{port}/orders"); // named connections
        // end-snippet

        using NamedListener listener = NamedListener.Open("orders");
        Task accepting = Task.Run(() => Next(listener).Connection.Accept());
        // snippet: named
        using NamedConnection desk = NamedConnection.Open("orders-there", "desk4"); // as if the server were here
        desk.Connect(TimeSpan.FromSeconds(10));
        desk.Send("buy 100"u8);
        // end-snippet
        accepting.Wait();
        // snippet: address
        TcpAddresses.Register(); // once; with options as an exit's
        using NamedConnection phone = NamedConnection.Open($"tcp:{host}:{port}/orders", "phone2");
        // end-snippet
        s_phones = phone.ServerName;
        TcpAddresses.Close();
        NamedConnection there = Next(listener).Connection;
        _ = there.TryReceive(out NamedMessage message);
        Console.WriteLine(message.Sequence); //> 1
        there.Acknowledge();
        listener.Return(there);
    }

    private static NamedEvent Next(NamedListener listener)
    {
        if (listener.Next(out NamedEvent next, TimeSpan.FromSeconds(30)) != IpcStatus.Ok)
            throw new TimeoutException("nobody came");
        return next;
    }

    // snippet: tls
    public static TcpExitOptions WithTls(string certificate, string key, string fingerprint) => new()
    {
        Tls = new TcpTls
        {
            Certificate = X509Certificate2.CreateFromPemFile(certificate, key), // for an entrance that asks who we are
            Validate = (_, theirs, _, _) => theirs?.GetCertHashString(HashAlgorithmName.SHA256) == fingerprint,
        },
        Token = Encoding.UTF8.GetBytes(File.ReadAllText("token").Trim()),
    };
    // end-snippet
}
