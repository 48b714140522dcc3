using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Sysmon;

/// <summary>Several machines in one table, once a second. Each is a name here: of a daemon of this machine, or of one that a gateway offers.</summary>
internal static class Many
{
    private static readonly TableRequest s_request = new() { Ids = ["cpu", "mem"], Fields = ["load", "available"] };

    /// <returns>Whether all of them answered the last time.</returns>
    public static async Task<bool> WatchAsync(string[] names, int times)
    {
        RpcClient[] clients = [.. names.Select(static name => RpcClient.Create(name))];
        try
        {
            string[][] rows = [];
            for (int time = 0; time < times; time++)
            {
                if (time > 0)
                    await Task.Delay(1000);
                rows = await Task.WhenAll(clients.Select((client, i) => RowAsync(names[i], client)));
                Screen.Heading($"{rows.Count(IsThere)} of {names.Length} machines");
                Screen.Show(["machine", "load", "available"], rows);
            }

            return rows.All(IsThere);
        }
        finally
        {
            foreach (RpcClient client in clients)
                client.Dispose();
        }
    }

    private static bool IsThere(string[] row) => row[1].Length > 0 && row[1] != "away";

    private static async Task<string[]> RowAsync(string name, RpcClient client)
    {
        try
        {
            ISystemMonitor monitor = SystemMonitorRpc.Client(client.WithTimeout(TimeSpan.FromSeconds(2)));
            Table table = await monitor.GetAsync(s_request);
            return [name, Screen.Text(table.Rows[0].Cells[0]), Screen.Text(table.Rows[1].Cells[1])];
        }
        catch (RpcCallException e)
        {
            return [name, "away", e.Status.ToString()];
        }
    }
}
