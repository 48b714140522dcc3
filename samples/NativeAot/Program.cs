using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Ipc.Pipelines;
using Ipc.Rpc;
using NativeAot;

// serve NAME   serves until its input ends
// call NAME    makes a call of every shape, sends bytes through a pipe, and checks what comes back; the exit code is the verdict
switch (args)
{
    case ["serve", string name]:
        using (RpcServer.Start(name, RoomsRpc.Service(new Rooms())))
        using (IpcPipeListener listener = IpcPipeListener.Open(Bytes.ListenerOf(name)))
        {
            Task bytes = Bytes.ServeAsync(listener);
            Console.WriteLine("ready");
            while (Console.ReadLine() is not null)
            {
            }

            listener.Stop();
            await bytes;
        }

        return 0;
    case ["call", string name]:
        using (RpcClient client = RpcClient.Connect(name, new RpcClientOptions { Services = { RoomEventsRpc.Service(new RoomEvents()) } }))
            await Check(RoomsRpc.Client(client));
        await Bytes.CheckAsync(name);
        Console.WriteLine("ok");
        return 0;
    default:
        Console.Error.WriteLine("usage: serve NAME | call NAME");
        return 2;
}

static async Task Check(IRooms rooms)
{
    Expect(new Reading("hall", 20.5, DateTime.UnixEpoch, Quality.Good), rooms.Read("hall"));

    Summary summary = await rooms.Summarize(["hall", "attic"]);
    Expect(2, summary.Latest.Count);
    Expect(rooms.Read("attic"), summary.Latest["attic"]);
    Expect((20.5m, Guid.Empty, (int?)null), (summary.Average, summary.Id, summary.Missing));

    double next = 0;
    await foreach (Reading reading in rooms.Watch("hall", 1000))
        Expect(next++, reading.Celsius);
    Expect(1000, next);

    Dictionary<string, int> counts = await rooms.RecordAsync("meter", rooms.Watch("attic", 100));
    Expect((2, 0, 100), (counts.Count, counts["meter"], counts["attic"]));

    next = 0.5;
    await foreach (Reading reading in rooms.Correct(0.5, rooms.Watch("hall", 100)))
        Expect(next++, reading.Celsius);
    Expect(100.5, next);

    var reports = new Reports();
    Expect(25, await rooms.HeatAsync("hall", 25, reports));
    Expect(true, reports.AreRising);

    Expect("20.5 in the hall", await rooms.ConfirmAsync("hall"));

    rooms.Note("first");
    rooms.Note("second");
    while (rooms.Notes().Count < 2)
        await Task.Yield();
    List<string> notes = rooms.Notes();
    Expect((2, true, true), (notes.Count, notes.Contains("first"), notes.Contains("second")));

    try
    {
        rooms.Read("");
        throw new InvalidOperationException("a room without a name was read");
    }
    catch (RpcCallException e)
    {
        Expect(RpcStatus.NotFound, e.Status);
    }
}

static void Expect<T>(T expected, T found)
{
    if (!EqualityComparer<T>.Default.Equals(expected, found))
        throw new InvalidOperationException("expected " + expected + ", found " + found);
}
