using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq.Tests.Simulation;

/// <summary>Messages that come at random, so many in a second, at one node of a broker, each of which it gives to so many.</summary>
internal static class Deliveries
{
    /// <returns>How long it took from the arrival of a message to its last delivery, in seconds, in order.</returns>
    public static List<double> Run(int seed, double rate, int copies, double each, int messages)
    {
        Simulator time = new(seed);
        Station node = new(time);
        List<double> took = new(messages);
        int left = messages;
        void Arrive()
        {
            double came = time.Now;
            node.Enter(() =>
            {
                time.After(each * copies, () => took.Add(time.Now - came));
                return each * copies;
            });
            if (--left > 0)
                time.After(time.Gap(rate), Arrive);
        }

        time.After(time.Gap(rate), Arrive);
        time.Run(double.PositiveInfinity, () => took.Count == messages);
        took.Sort();
        return took;
    }
}
