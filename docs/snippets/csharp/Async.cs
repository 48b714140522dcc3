using System;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ipc;
using Ipc.Rpc;

namespace Snippets;

internal static class Async
{
    public static async Task Run()
    {
        using CancellationTokenSource ending = new(TimeSpan.FromSeconds(30));
        CancellationToken stop = ending.Token;

        // snippet: queue
        using SharedQueue jobs = SharedQueue.Open("jobs");
        await jobs.SendAsync("resize cat.png"u8.ToArray(), stop); // at once when there is room; otherwise as soon as there is

        using (QueueMessage job = await jobs.ReceiveAsync(stop)) // disposing says "handled"; dying does not: it comes again
            Console.WriteLine(Encoding.UTF8.GetString(job.Payload)); //> resize cat.png
        // end-snippet

        // snippet: all
        Task worker = Task.Run(async () =>
        {
            await foreach (QueueMessage job in jobs.ReceiveAllAsync(stop)) // until the queue is disposed or stopped
            {
                using (job)
                    Console.WriteLine(Encoding.UTF8.GetString(job.Payload)); //> resize dog.png
            }
        }, stop);
        // end-snippet
        using (SharedQueue sender = SharedQueue.Open("jobs"))
        {
            sender.Send("resize dog.png"u8, stop);
            while (sender.GetInfo().Depth > 0)
                await Task.Delay(10, stop);
        }

        await Task.Delay(50, stop);
        jobs.Stop();
        await worker;
        jobs.Resume();

        // snippet: timeout
        try
        {
            using QueueMessage job = await jobs.ReceiveAsync(TimeSpan.FromMilliseconds(50), stop);
        }
        catch (TimeoutException)
        {
            Console.WriteLine("nothing to do"); //> nothing to do
        }
        // end-snippet

        using TopicWriter writer = TopicWriter.Open("prices");
        // snippet: topic
        using TopicReader prices = TopicReader.Open("prices");
        Task reading = Task.Run(async () =>
        {
            while (await prices.WaitToReadAsync(stop)) // false: this reader was disposed or stopped
            {
                while (prices.TryRead(out TopicMessage price) == IpcStatus.Ok) // in place, so it cannot be kept across an await
                {
                    Console.WriteLine(Encoding.UTF8.GetString(price.Payload)); //> EURUSD 1.0842
                    if (prices.Release() == IpcStatus.Ok)
                        return;
                }
            }
        }, stop);
        // end-snippet
        // snippet: publish
        await writer.PublishAsync("EURUSD 1.0842"u8.ToArray(), cancellationToken: stop); // at once, unless readers that writers wait for are a lap behind
        // end-snippet
        await reading;

        // snippet: items
        Task watching = Task.Run(async () =>
        {
            await foreach (TopicItem price in prices.ReadAllAsync(stop)) // a copy, good until the next one is asked for
            {
                await Task.Yield();
                Console.WriteLine(Encoding.UTF8.GetString(price.Payload.Span)); //> USDJPY 149.20
                return;
            }
        }, stop);
        // end-snippet
        await writer.PublishAsync("USDJPY 149.20"u8.ToArray(), cancellationToken: stop);
        await watching;

        // snippet: lock
        using SharedMutex mutex = SharedMutex.Open("table");
        using (SharedMutex.Lease held = await mutex.AcquireAsync(TimeSpan.FromSeconds(1), stop))
        {
            if (held.Abandoned) // its last holder died: look before you trust what it guards
                Console.WriteLine("repairing");
        } // released here, by whatever thread
        // end-snippet

        // snippet: rpc
        await using RpcServer server = RpcServer.Start("shop", StoreRpc.Service(new Store()));

        await using RpcClient client = await RpcClient.ConnectAsync("shop", cancellationToken: stop); // as soon as there is a server that takes it
        Receipt receipt = await StoreRpc.Client(client).OrderAsync(new Order("apple", 2));
        Console.WriteLine(receipt.Left); //> 8

        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(5));
        await server.StopAsync(limit.Token); // no new calls; what runs has five seconds, then it is cut off
        // end-snippet

        await Orders(stop);
        if (!NamedConnection.Remove("orders", "till1")) // a conversation stays
            throw new InvalidOperationException("the conversation of till1 has gone");
        await Accept(stop);
        Loop(jobs, stop);
        await Serve(stop);
    }

    private static async Task Orders(CancellationToken stop)
    {
        using CancellationTokenSource ending = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Task serving = Fill(ending.Token);

        // snippet: named
        using NamedConnection orders = NamedConnection.Open("orders", "till1", cancellationToken: stop);
        await orders.SendAsync("2 apples"u8.ToArray(), cancellationToken: stop); // no server has to be there

        while (await orders.WaitToReceiveAsync(stop)) // logs in meanwhile, and again when the server was restarted
        {
            while (orders.TryReceive(out NamedMessage answer)) // in place, so it cannot be kept across an await
            {
                Console.WriteLine(Encoding.UTF8.GetString(answer.Payload)); //> done: 2 apples
                orders.Acknowledge(answer.Sequence);
            }

            if (orders.LastReceived > 0)
                break;
        }
        // end-snippet

        await ending.CancelAsync();
        await serving.ContinueWith(static _ => { }, TaskScheduler.Default);
    }

    private static async Task Fill(CancellationToken stop)
    {
        // snippet: named-server
        using NamedListener listener = NamedListener.Open("orders");
        while (true) // until it is stopped, disposed or cancelled: all are exceptions
        {
            NamedEvent next = await listener.NextAsync(stop);
            NamedConnection client = next.Connection;
            if (next.Kind == NamedEventKind.Login)
                client.Accept();
            if (next.Kind == NamedEventKind.Readable)
                _ = AnswerAsync(listener, client, stop); // not awaited: a client that does not read holds up no other
        }
        // end-snippet
    }

    // snippet: named-answer
    private static async Task AnswerAsync(NamedListener listener, NamedConnection client, CancellationToken stop)
    {
        while (TryTake(client, out byte[] answer))
        {
            await client.SendAsync(answer, cancellationToken: stop);
            client.Acknowledge(); // behind the answer: killed in between, the order comes again
        }

        listener.Return(client);
    }
    // end-snippet

    private static bool TryTake(NamedConnection client, out byte[] answer)
    {
        bool received = client.TryReceive(out NamedMessage order);
        answer = received ? Encoding.UTF8.GetBytes("done: " + Encoding.UTF8.GetString(order.Payload)) : [];
        return received;
    }

    private static async Task Accept(CancellationToken stop)
    {
        // snippet: accept
        using Listener door = Listener.Open("door");
        Task accepting = Task.Run(async () =>
        {
            while (true)
                _ = ServeAsync(await door.AcceptAsync(stop)); // each client has a task of its own
        }, stop);
        // end-snippet

        using (Connection client = await Connection.ConnectAsync("door", cancellationToken: stop))
        {
            await client.Writer.WriteAsync("hello"u8.ToArray(), cancellationToken: stop);
            await foreach (RingItem answer in client.Reader.ReadAllAsync(stop))
                break;
        }

        door.Stop();
        try
        {
            await accepting;
        }
        catch (IpcException e) when (e.Status == IpcStatus.Stopped)
        {
        }
    }

    // snippet: accepted
    private static async Task ServeAsync(Connection client)
    {
        using (client)
        {
            await foreach (RingItem request in client.Reader.ReadAllAsync()) // until the client has gone
                await client.Writer.WriteAsync(request.Payload);
        }
    }
    // end-snippet

    private static void Loop(SharedQueue jobs, CancellationToken stop)
    {
        // snippet: loop
        using ReadyHandle ready = jobs.GetReadyHandle(); // armed
        jobs.Send("resize owl.png"u8, stop);
        WaitHandle[] all = [stop.WaitHandle, ready];
        while (WaitHandle.WaitAny(all) == 1)
        {
            while (jobs.TryReceive(out QueueMessage job)) // until there is nothing
            {
                using (job)
                    Console.WriteLine(Encoding.UTF8.GetString(job.Payload)); //> resize owl.png
            }

            ready.Arm(); // signalled again as soon as there is something
            break; // this loop has seen enough
        }
        // end-snippet
    }

    private static async Task Serve(CancellationToken stop)
    {
        // snippet: listener
        using Listener listener = Listener.Open("upper");
        Task serving = Task.Run(async () =>
        {
            while (true) // until it is stopped, or disposed: both are exceptions
            {
                ListenerEvent next = await listener.NextAsync(stop);
                Connection connection = next.Connection;
                if (next.Kind == ListenerEventKind.Closed)
                {
                    connection.Dispose();
                    continue;
                }

                if (next.Kind == ListenerEventKind.Connect)
                    connection.Accept();
                else
                    Answer(connection);
                listener.Return(connection);
            }
        }, stop);

        using (Connection client = await Connection.ConnectAsync("upper", cancellationToken: stop))
        {
            await client.Writer.WriteAsync("hello"u8.ToArray(), cancellationToken: stop);
            await foreach (RingItem answer in client.Reader.ReadAllAsync(stop))
            {
                Console.WriteLine(Encoding.UTF8.GetString(answer.Payload.Span)); //> HELLO
                break;
            }
        }
        // end-snippet

        listener.Stop();
        try
        {
            await serving;
        }
        catch (IpcException e) when (e.Status == IpcStatus.Stopped)
        {
        }
    }

    private static void Answer(Connection connection)
    {
        while (connection.Reader.TryRead(out RingRecord request))
        {
            if (!connection.Writer.TryWrite(Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(request.Payload).ToUpperInvariant())))
                throw new InvalidOperationException("the client does not read");
            connection.Reader.Release();
        }
    }
}
