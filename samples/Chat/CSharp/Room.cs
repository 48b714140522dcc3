using System;
using System.Collections.Generic;
using System.Text;
using Ipc;

namespace Chat;

/// <summary>The server. What anybody says goes into the log, and message n to each person is line n of the log: so each
/// conversation knows how much of the log its person was told, whoever was killed meanwhile.</summary>
internal static class Room
{
    public static int Run(string name, string path)
    {
        using RoomLog log = new(path);
        Dictionary<string, NamedConnection> people = []; // by their seats
        bool isBehind = false; // somebody's memory is full: he has not read for long

        // snippet: room
        using NamedListener listener = NamedListener.Open(name);
        for (; ; )
        {
            Deadline deadline = isBehind ? Deadline.After(TimeSpan.FromMilliseconds(100)) : Deadline.Never;
            if (listener.Next(out NamedEvent next, deadline) == IpcStatus.Ok)
            {
                NamedConnection person = next.Connection;
                if (next.Kind == NamedEventKind.Login)
                {
                    people.Remove(person.ClientName); // refused, he is told nothing
                    if (LetIn(person, log))
                        people.Add(person.ClientName, person);
                }

                if (next.Kind == NamedEventKind.Readable)
                {
                    Hear(person, log);
                    listener.Return(person);
                }
            } // who has gone stays one of the people: what is said waits for him

            isBehind = false;
            foreach (NamedConnection person in people.Values)
                isBehind |= !Tell(person, log);
        }
        // end-snippet
    }

    // snippet: login
    private static bool LetIn(NamedConnection person, RoomLog log)
    {
        string name = RoomLog.OneLine(Encoding.UTF8.GetString(person.ReadLogin()));
        if (log.SeatOf(name) is { } seat && seat != person.ClientName)
        {
            person.Refuse($"The name \"{name}\" is taken, by who sits at \"{seat}\".");
            return false;
        }

        person.Accept();
        if (log.NameOf(person.ClientName) != name)
            log.Add(new Line(person.ClientName, person.Id, 0, name, "has come"));
        return true;
    }
    // end-snippet

    // snippet: hear
    private static void Hear(NamedConnection person, RoomLog log)
    {
        while (person.TryReceive(out NamedMessage said))
        {
            if (said.Sequence > log.LastOf(person.Id)) // else it came again: it was logged, and not acknowledged
            {
                string text = Encoding.UTF8.GetString(said.Payload);
                log.Add(new Line(person.ClientName, person.Id, said.Sequence, log.NameOf(person.ClientName)!, text));
            }
        }

        person.Acknowledge(); // killed before this line: the messages come again
    }

    private static bool Tell(NamedConnection person, RoomLog log)
    {
        while (person.LastSent < log.Count)
        {
            if (!person.TrySend(log.Told((int)person.LastSent)))
                return false;
        }

        return true;
    }
    // end-snippet
}
