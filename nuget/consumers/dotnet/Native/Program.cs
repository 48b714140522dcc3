using System;
using System.Text;
using Ipc.Native;

// Echoes over a connection to a server in C, and a record through a ring, a message through a queue and one through a topic of its own.
NativeDeadline deadline = NativeDeadline.After(TimeSpan.FromSeconds(20));
byte[] sent = Encoding.ASCII.GetBytes("from the binding");

using (NativeConnection connection = NativeConnection.Connect(args[0], new NativeConnectOptions { Deadline = deadline }))
{
    for (int i = 0; i < 100; i++)
    {
        Expect(NativeStatus.Ok, connection.Writer.Write(sent, i, deadline));
        Expect(NativeStatus.Ok, connection.Reader.Read(out NativeRecord record, deadline));
        Same(record.Payload);
        Expect(i, record.Type);
        connection.Reader.Release();
    }
}

using (NativeRingReader reader = NativeRingReader.Open("native.ring"))
using (NativeRingWriter writer = NativeRingWriter.Open("native.ring"))
{
    Expect(NativeStatus.Ok, writer.Write(sent));
    Expect(NativeStatus.Ok, reader.Read(out NativeRecord record, deadline));
    Same(record.Payload);
    reader.Release();
}

using (NativeQueue queue = NativeQueue.Open("native.queue"))
{
    Expect(NativeStatus.Ok, queue.Send(sent));
    Expect(NativeStatus.Ok, queue.Receive(out NativeBlock block));
    Same(block.Payload);
    queue.Release(ref block);
}

using (NativeTopicReader reader = NativeTopicReader.Open("native.topic"))
using (NativeTopicWriter writer = NativeTopicWriter.Open("native.topic"))
{
    Expect(NativeStatus.Ok, writer.Publish(sent));
    Expect(NativeStatus.Ok, reader.Read(out NativeMessage message));
    Same(message.Payload);
}

Console.WriteLine("ring, queue, topic and 100 echoes over a connection, libipc " + IpcNative.Version + ", by " + System.Runtime.InteropServices.RuntimeInformation.FrameworkDescription);

static void Expect<T>(T expected, T found)
    where T : struct
{
    if (!expected.Equals(found))
        throw new InvalidOperationException("expected " + expected + ", found " + found);
}

void Same(ReadOnlySpan<byte> bytes)
{
    if (!bytes.SequenceEqual(sent))
        throw new InvalidOperationException(bytes.Length + " other bytes came back");
}
