using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.SignalR;

namespace Ipc.AspNetCore.Peer;

/// <summary>An ordinary hub of SignalR.</summary>
public sealed class ChatHub : Hub
{
    public int Add(int left, int right) => left + right;

    public void Refuse(string why) => throw new HubException(why);

    public Task Say(string text) => Clients.Others.SendAsync("Heard", text);

    public IAsyncEnumerable<int> Count(int to) => Enumerable.Range(0, to).ToAsyncEnumerable();

    public async Task<int> Total(IAsyncEnumerable<int> numbers)
    {
        int total = 0;
        await foreach (int number in numbers)
            total += number;
        return total;
    }
}
